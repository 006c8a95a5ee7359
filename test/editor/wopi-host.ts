import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listeningPort } from '../support/listen.ts';
import type { EditorSession } from './client.ts';

/** A request that the host got. */
export interface WopiRequest {
  operation: 'CheckFileInfo' | 'GetFile' | 'PutFile';
  token: string | null;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export type WopiHost = Awaited<ReturnType<typeof startWopiHost>>;

/** Starts the smallest WOPI host that the editor's own tests can do with: files in memory, people by token. */
export async function startWopiHost() {
  let stamps = 0;
  const server = createServer(async (incoming, response) => {
    const { pathname, searchParams: query } = new URL(incoming.url ?? '', 'http://host');
    const [, id = '', contents] = /^\/svc\/wopi\/files\/([^/]+)(\/contents)?$/.exec(pathname) ?? [];
    const body = await buffer(incoming).catch(() => undefined);
    const file = host.files.get(id);
    if (!body || !file) return void response.writeHead(404).end();
    const operation = contents ? (incoming.method === 'POST' ? 'PutFile' : 'GetFile') : 'CheckFileInfo';
    const token = query.get('access_token');
    const request: WopiRequest = { operation, token, headers: incoming.headers, body };
    host.requests.push(request);
    const status = await host.answer(request);
    if (status === undefined) return void response.destroy();
    if (status !== 200) return void response.writeHead(status).end();
    if (operation === 'GetFile') return void response.end(file.bytes);
    if (operation === 'PutFile') {
      file.bytes = body;
      file.stamp = `2026-01-01T00:00:00.${String(++stamps).padStart(6, '0')}Z`;
      return void response.end(JSON.stringify({ LastModifiedTime: file.stamp }));
    }
    const info = {
      BaseFileName: file.name,
      Size: file.bytes.length,
      OwnerId: 'host',
      Version: file.stamp,
      LastModifiedTime: file.stamp,
      UserId: token,
      UserFriendlyName: `Tên ${token}`,
      UserCanWrite: true,
      PostMessageOrigin: 'http://portal.test',
      ...host.people.get(token ?? ''),
    };
    response.end(JSON.stringify(info));
  });
  server.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${await listeningPort(server)}`;
  const host = {
    url,
    files: new Map<string, { name: string; bytes: Buffer; stamp: string }>(),
    /** Members that CheckFileInfo adds or replaces, by token. */
    people: new Map<string, Record<string, unknown>>(),
    requests: [] as WopiRequest[],
    puts: () => host.requests.filter(({ operation }) => operation === 'PutFile'),
    /** The status of an answer; 200 does what was asked. May wait. Undefined cuts the connection. */
    answer: (() => 200) as (request: WopiRequest) => Promise<number | undefined> | number | undefined,
    /** Returns the session that a gate would give for a document and a token. */
    session: (id: string, token: string): EditorSession => ({
      editor_url: `/browser/standin1/cool.html?WOPISrc=${encodeURIComponent(`${url}/svc/wopi/files/${id}`)}&lang=vi`,
      form: { access_token: token, access_token_ttl: 0, ui_defaults: '' },
    }),
    async stop(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return host;
}
