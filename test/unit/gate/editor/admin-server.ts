import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { listeningPort } from '../../../support/listen.ts';

/** One document as the editor's admin channel lists it. */
export interface ListedDocument {
  wopiSrc: string;
  wopiHost?: string;
  modified?: boolean;
  memory?: number;
  idle?: number;
  views: { userId: string; name?: string; id?: string; readonly?: boolean }[];
}

export type AdminServer = Awaited<ReturnType<typeof startAdminServer>>;

/** An editor server's discovery and admin channel alone (editor.md A5), with faults on demand. */
export async function startAdminServer() {
  const tokens = new Set<string>();
  const counts = { logins: 0, sockets: 0, commands: 0, discovery: 0 };
  /** Its list and its misbehaviour; read at each request. */
  const now = {
    documents: [] as ListedDocument[],
    password: 'geheim-genug',
    tokenIn: 'cookie' as 'set-cookie' | 'cookie' | 'page' | 'nowhere',
    /** Sent in the place of the list. */
    answer: null as string | null,
    silent: false,
    /** Silent, and the closing of a WebSocket is not answered either. */
    dead: false,
    discovery: { status: 200, body: discoveryXml() },
  };

  function page(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/hosting/discovery') {
      counts.discovery += 1;
      response.writeHead(now.discovery.status, { 'Content-Type': 'text/xml' }).end(now.discovery.body);
      return;
    }
    counts.logins += 1;
    const expected = `Basic ${Buffer.from(`admin:${now.password}`).toString('base64')}`;
    if (request.url !== '/browser/dist/admin/admin.html' || request.headers.authorization !== expected) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="online"' }).end();
      return;
    }
    const token = `${randomBytes(9).toString('base64url')}.${randomBytes(9).toString('base64url')}.c-_2`;
    tokens.add(token);
    if (now.tokenIn === 'set-cookie') response.setHeader('Set-Cookie', `a=b; jwt=${token}; Path=/browser/dist/`);
    if (now.tokenIn === 'cookie') response.setHeader('Cookie', `jwt=${token}; Secure`);
    const inPage = now.tokenIn === 'page' ? `<script>window.jwtToken = '${token}';</script>` : '<html></html>';
    response.end(inPage);
  }

  function answer(text: string, session: { isKnown: boolean }): string | undefined {
    counts.commands += 1;
    if (text.startsWith('auth jwt=')) {
      session.isKnown = tokens.has(text.slice('auth jwt='.length));
      return session.isKnown ? undefined : 'InvalidAuthToken';
    }
    if (!session.isKnown) return 'NotAuthenticated';
    if (text !== 'documents' || now.silent || now.dead) return undefined;
    return now.answer ?? `documents ${documentsJson(now.documents)}`;
  }

  function serve(socket: WebSocket): void {
    counts.sockets += 1;
    const session = { isKnown: false };
    const { close } = socket;
    socket.close = (...args) => now.dead || close.apply(socket, args);
    socket.on('message', (data) => {
      const text = answer(String(data), session);
      if (text === undefined) return;
      socket.send(text);
      if (!session.isKnown) socket.close(1000);
    });
  }

  const server = createServer(page);
  const channel = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const isOwn = request.headers.origin?.replace(/^https?:\/\//, '') === request.headers.host;
    if (request.url !== '/cool/adminws' || !isOwn) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    return channel.handleUpgrade(request, socket, head, serve);
  });
  server.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${await listeningPort(server)}`;
  const cut = (): void => {
    for (const socket of channel.clients) socket.terminate();
  };
  return {
    ...{ url, now, counts },
    /** WebSockets that are open. */
    connections: () => channel.clients.size,
    /** Cuts all sockets. */
    cut,
    /** Tokens are good no longer, as after a restart. */
    forgetTokens: () => tokens.clear(),
    stop: async () => {
      cut();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The list as the editor writes it: by hand, names unescaped. */
export function documentsJson(documents: readonly ListedDocument[]): string {
  const listed = documents.map(({ wopiSrc, wopiHost = 'host', modified, memory = 100, idle = 1, views }, index) => {
    const shown = views.map(
      ({ userId, name = 'An', id = String(index), readonly = false }) =>
        `{"userName":"${name}","userId":"${userId}","sessionid":"${id}","readonly":"${readonly ? 1 : 0}"}`,
    );
    return (
      `{"pid":${index + 1},"docKey":"k","fileName":"a.docx","wopiHost":"${wopiHost}","activeViews":${views.length},` +
      `"memory":${memory},"elapsedTime":5,"idleTime":${idle},"modified":"${modified ? 'Yes' : 'No'}","uploaded":"Yes",` +
      `"wopiSrc":"${wopiSrc}","views":[${shown.join(',')}]}`
    );
  });
  return `{"documents":[${listed.join(',')}]}`;
}

export function discoveryXml(hash = 'dd8e9a4', extensions: readonly string[] = ['docx', 'xlsx', 'csv']): string {
  const action = (ext: string): string =>
    `<action default="true" ext="${ext}" name="edit" urlsrc="https://office.example/browser/${hash}/cool.html?"/>` +
    `<action ext="${ext}" name="view" urlsrc="https://office.example/browser/${hash}/view.html?"/>`;
  return (
    `<wopi-discovery><net-zone name="external-http"><app favIconUrl="x" name="writer">` +
    `${extensions.map(action).join('')}<action ext="pdf" name="view" urlsrc="https://office.example/x?"/></app>` +
    `<app name="Capabilities"><action ext="" name="getinfo" urlsrc="https://office.example/hosting/capabilities"/>` +
    '</app></net-zone></wopi-discovery>'
  );
}
