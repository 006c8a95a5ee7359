import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { portOf } from './listen.ts';

/** One document as the editor's admin channel lists it. */
export interface ListedDocument {
  wopiSrc: string;
  wopiHost?: string;
  modified?: boolean;
  memory?: number;
  idle?: number;
  views: { userId: string; name?: string; id?: string; readonly?: boolean }[];
}

/** An editor server's discovery and admin channel alone (editor.md A5), with faults on demand. */
export interface AdminServer {
  url: string;
  /** What is listed, and how it misbehaves. Read at each request. */
  now: {
    documents: ListedDocument[];
    password: string;
    tokenIn: 'set-cookie' | 'cookie' | 'page' | 'nowhere';
    /** Sent in the place of the list. */
    answer: string | null;
    silent: boolean;
    /** Silent, and the closing of a WebSocket is not answered either. */
    dead: boolean;
    discovery: { status: number; body: string };
  };
  /** WebSockets that are open. */
  connections(): number;
  counts: { logins: number; sockets: number; commands: number; discovery: number };
  /** Tokens are good no longer, as after a restart. */
  forgetTokens(): void;
  /** Cuts all sockets. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startAdminServer(): Promise<AdminServer> {
  const tokens = new Set<string>();
  const sockets = new Set<Socket>();
  const counts = { logins: 0, sockets: 0, commands: 0, discovery: 0 };
  const now: AdminServer['now'] = {
    documents: [],
    password: 'geheim-genug',
    tokenIn: 'cookie',
    answer: null,
    silent: false,
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

  function command(text: string, session: { known: boolean }): string | undefined {
    counts.commands += 1;
    if (text.startsWith('auth jwt=')) {
      session.known = tokens.has(text.slice('auth jwt='.length));
      return session.known ? undefined : 'InvalidAuthToken';
    }
    if (!session.known) return 'NotAuthenticated';
    if (text !== 'documents' || now.silent || now.dead) return undefined;
    return now.answer ?? `documents ${documentsJson(now.documents)}`;
  }

  const server = createServer(page);
  server.on('upgrade', (request, socket: Socket) => {
    const own = request.headers.origin?.replace(/^https?:\/\//, '') === request.headers.host;
    if (request.url !== '/cool/adminws' || !own) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    counts.sockets += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('end', () => socket.destroy());
    accept(request, socket);
    const session = { known: false };
    const onClose = () => now.dead || socket.end(Buffer.from([0x88, 0]));
    return receive(socket, onClose, (text) => {
      const answer = command(text, session);
      if (answer === undefined) return;
      send(socket, 1, answer);
      if (answer === 'InvalidAuthToken' || answer === 'NotAuthenticated') send(socket, 8, '\u0003\u00e8', 'latin1');
    });
  });
  server.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${await portOf(server)}`;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url,
    now,
    counts,
    connections: () => sockets.size,
    cut,
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

function accept(request: IncomingMessage, socket: Socket): void {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${createHash('sha1').update(key).digest('base64')}\r\n\r\n`,
  );
}

function send(socket: Socket, opcode: number, text: string, encoding: BufferEncoding = 'utf8'): void {
  const data = Buffer.from(text, encoding);
  const head =
    data.length < 126
      ? Buffer.from([0x80 | opcode, data.length])
      : Buffer.from([0x80 | opcode, 127, 0, 0, 0, 0, ...u32(data.length)]);
  socket.write(Buffer.concat([head, data]));
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Reads masked text frames below 64 KiB, and close frames (RFC 6455 5). */
function receive(socket: Socket, onClose: () => void, onText: (text: string) => void): void {
  let held = Buffer.alloc(0);
  socket.on('data', (piece) => {
    held = Buffer.concat([held, piece]);
    for (;;) {
      const short = (held[1] ?? 0) & 0x7f;
      const start = short === 126 ? 8 : 6;
      if (held.length < start) return;
      const length = short === 126 ? held.readUInt16BE(2) : short;
      if (held.length < start + length) return;
      const mask = held.subarray(start - 4, start);
      const opcode = (held[0] ?? 0) & 0x0f;
      const data = Buffer.from(held.subarray(start, start + length)).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
      held = held.subarray(start + length);
      if (opcode === 1) onText(Buffer.from(data).toString());
      if (opcode === 8) onClose();
    }
  });
}
