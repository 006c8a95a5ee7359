import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A request as it goes over the wire: the target is sent as it stands. */
export interface RawRequest {
  target: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Asks for a WebSocket. */
  upgrade?: boolean;
}

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  milliseconds: number;
}

const ANSWER_SECONDS = 15;

/** Sends a request byte for byte and reads the answer: all of it, or only its head for an upgrade. Status 0: none came. */
export function send(base: URL, request: RawRequest, seconds = ANSWER_SECONDS): Promise<RawAnswer> {
  return sendText(base, requestText(base, request), request.upgrade === true, seconds);
}

/** The same with any text, which need be no HTTP. */
export async function sendText(
  base: URL,
  request: string,
  headOnly = false,
  seconds = ANSWER_SECONDS,
): Promise<RawAnswer> {
  const started = performance.now();
  const socket = open(base);
  try {
    socket.write(request);
    const text = await readAnswer(socket, headOnly, seconds);
    return { ...parseAnswer(text), milliseconds: performance.now() - started };
  } finally {
    socket.destroy();
  }
}

/** Opens a WebSocket as far as the 101, sends one line through it and tells what came back. */
export async function echo(base: URL, target: string, line: string): Promise<string> {
  const socket = open(base);
  try {
    socket.write(requestText(base, { target, upgrade: true }));
    const head = await readAnswer(socket, true, ANSWER_SECONDS);
    if (parseAnswer(head).status !== 101) return '';
    socket.write(line);
    return await new Promise<string>((resolve) => {
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk;
        if (got.length >= line.length) resolve(got);
      });
      socket.once('close', () => resolve(got));
      socket.setTimeout(ANSWER_SECONDS * 1000, () => resolve(got));
    });
  } finally {
    socket.destroy();
  }
}

export function open(base: URL): Socket {
  const secure = base.protocol === 'https:';
  const port = Number(base.port || (secure ? 443 : 80));
  const host = base.hostname.replace(/^\[|\]$/g, '');
  const socket = secure ? connectTls({ host, port, servername: host }) : connectTcp({ host, port });
  socket.on('error', () => {});
  return socket;
}

export function requestText(base: URL, { target, method = 'GET', headers = {}, body, upgrade }: RawRequest): string {
  const all: Record<string, string> = {
    Host: base.host,
    Origin: base.origin,
    Connection: upgrade ? 'Upgrade' : 'close',
    ...(upgrade && {
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }),
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

function readAnswer(socket: Socket, headOnly: boolean, seconds: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const done = () => resolve(text);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (headOnly && text.includes('\r\n\r\n')) done();
    });
    socket.once('close', done);
    socket.setTimeout(seconds * 1000, done);
  });
}

function parseAnswer(text: string): Omit<RawAnswer, 'milliseconds'> {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = (end === -1 ? text : text.slice(0, end)).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] =
      headers[name] === undefined ? line.slice(colon + 1).trim() : `${headers[name]}, ${line.slice(colon + 1).trim()}`;
  }
  const body = end === -1 ? '' : Buffer.from(text.slice(end + 4), 'latin1').toString('utf8');
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? 0), headers, body };
}
