import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { portOf } from '../support/listen.ts';
import type { EditorSession } from './client.ts';

/** A request that the host got. */
export interface WopiRequest {
  operation: 'CheckFileInfo' | 'GetFile' | 'PutFile';
  token: string | null;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: number;
}

/** The smallest WOPI host that the editor's own tests can do with: files in memory, people by token. */
export interface WopiHost {
  url: string;
  files: Map<string, { name: string; bytes: Buffer; stamp: string }>;
  /** Members that CheckFileInfo adds or replaces, by token. */
  people: Map<string, Record<string, unknown>>;
  requests: WopiRequest[];
  puts(): WopiRequest[];
  /** The status of an answer; 200 does what was asked. May wait. Undefined cuts the connection. */
  answer: (request: WopiRequest) => Promise<number | undefined> | number | undefined;
  /** Returns the session that a gate would give for a document and a token. */
  session(id: string, token: string, form?: Record<string, string>): EditorSession;
  stop(): Promise<void>;
}

export async function startWopiHost(): Promise<WopiHost> {
  const requests: WopiRequest[] = [];
  let stamps = 0;
  const host: Omit<WopiHost, 'url' | 'stop'> = {
    files: new Map(),
    people: new Map(),
    requests,
    puts: () => requests.filter(({ operation }) => operation === 'PutFile'),
    answer: () => 200,
    session: (id, token, form = {}) => ({
      editor_url: `/browser/standin1/cool.html?WOPISrc=${encodeURIComponent(`${url}/svc/wopi/files/${id}`)}&lang=vi`,
      form: { access_token: token, access_token_ttl: 0, ui_defaults: '', ...form },
    }),
  };
  const server = createServer(async (incoming, response) => {
    const { pathname, searchParams: query } = new URL(incoming.url ?? '', 'http://host');
    const [, id = '', contents] = /^\/svc\/wopi\/files\/([^/]+)(\/contents)?$/.exec(pathname) ?? [];
    const body = await buffer(incoming).catch(() => undefined);
    const file = host.files.get(id);
    if (!body || !file) return void response.writeHead(404).end();
    const operation = contents ? (incoming.method === 'POST' ? 'PutFile' : 'GetFile') : 'CheckFileInfo';
    const token = query.get('access_token');
    const request: WopiRequest = { operation, token, query, headers: incoming.headers, body, at: performance.now() };
    requests.push(request);
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
  const url = `http://127.0.0.1:${await portOf(server)}`;
  return {
    ...host,
    get answer() {
      return host.answer;
    },
    set answer(answer) {
      host.answer = answer;
    },
    url,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
