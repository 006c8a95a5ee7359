import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';

const CONNECT_MS = 2_000;
const REQUEST_MS = 5_000;
const MAX_SOCKET_MESSAGE = 32 * 1024 * 1024;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface EditorAgent extends Agent {
  /** Closes all connections; a WebSocket waits for its closing handshake for ever. */
  cut(): void;
}

/**
 * Creates connections to the editor server. Its address is the operator's setting, so the outbound URL rules do not
 * apply.
 */
export function createEditorAgent(): EditorAgent {
  const sockets = new Set<Socket>();
  const connect = buildConnector({ timeout: CONNECT_MS });
  const agent = new Agent({
    connections: 4,
    webSocket: { maxPayloadSize: MAX_SOCKET_MESSAGE },
    connect: (options, callback) => {
      connect(options, (...result) => {
        const [, socket] = result;
        if (socket) sockets.add(socket.once('close', () => sockets.delete(socket)));
        callback(...result);
      });
    },
  });
  return Object.assign(agent, {
    cut: () => {
      for (const socket of sockets) socket.destroySoon();
    },
  });
}

/**
 * GETs a page of the editor server, or posts `body`. Follows no redirect. Rejects without an answer within 5 s, when it
 * is larger than `maxBytes`, or not UTF-8.
 */
export async function fetchText(
  url: string,
  options: {
    agent: Dispatcher;
    maxBytes: number;
    headers?: Record<string, string>;
    body?: string;
    signal?: AbortSignal | undefined;
  },
): Promise<Answer> {
  const { agent, maxBytes, headers = {}, body = null, signal } = options;
  const time = AbortSignal.timeout(REQUEST_MS);
  const answer = await request(url, {
    dispatcher: agent,
    method: body === null ? 'GET' : 'POST',
    body,
    headers: { 'user-agent': 'SVC-Gate/1.0', ...headers },
    signal: signal ? AbortSignal.any([signal, time]) : time,
  });
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer.body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  return { status: answer.statusCode, headers: answer.headers, text };
}
