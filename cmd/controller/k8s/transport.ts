import * as http from 'node:http';
import * as https from 'node:https';
import { startDeadline, unlessAborted } from '../../../src/common/net/deadline.ts';
import { VERSION } from '../../../src/common/version.ts';
import { ApiError, refusalOf, UnreachableError } from './api-error.ts';
import type { Connection } from './connection.ts';

/** Below the 90 s after which the API server hangs up on an idle connection. */
const IDLE_MS = 30_000;
/** Silence after which the kernel asks whether the other end is there. */
const KEEP_ALIVE_MS = 10_000;

export interface Exchange {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  accept?: string;
  contentType?: string;
  /** Sent as JSON. */
  body?: unknown;
}

/** HTTP to the API server, over TLS that is always verified. Errors name method and path, never a header or body. */
export interface Transport {
  /**
   * The answer's JSON, undefined for an answer that has none.
   * @throws {ApiError | UnreachableError}
   */
  request(exchange: Exchange): Promise<unknown>;
  /**
   * An answer whose body goes on, over a connection of its own. The signal ends it at any time.
   * @throws {ApiError | UnreachableError}
   */
  open(exchange: Exchange, signal: AbortSignal): Promise<http.IncomingMessage>;
  /** Cuts all connections for requests, which may be dead without a sign of it. What runs is sent again or rejects. */
  reconnect(): void;
  close(): void;
}

/** @param options.timeoutMs for a whole request, and until a stream is open */
export function createTransport(
  connection: Connection,
  options: { timeoutMs: number; connections: number },
): Transport {
  const { timeoutMs, connections } = options;
  const secure = connection.server.startsWith('https:');
  const { Agent } = secure ? https : http;
  const pool = new Agent({
    keepAlive: true,
    maxSockets: connections,
    maxFreeSockets: connections,
    scheduling: 'lifo',
    timeout: IDLE_MS,
  });
  const streams = new Agent({ keepAlive: false });
  const closing = new AbortController();

  /** Resolves when the head of an answer is there. */
  async function send(exchange: Exchange, agent: http.Agent, signal: AbortSignal): Promise<http.IncomingMessage> {
    const { authorization, ...tls } = await connection.credentials();
    const body = exchange.body === undefined ? undefined : JSON.stringify(exchange.body);
    const url = new URL(connection.server + exchange.path);
    url.search = new URLSearchParams(exchange.query).toString();
    const request = (secure ? https : http).request(url, {
      ...tls,
      rejectUnauthorized: true,
      agent,
      method: exchange.method,
      signal,
      headers: {
        accept: exchange.accept ?? 'application/json',
        'user-agent': `svc-controller/${VERSION}`,
        ...(authorization !== undefined && { authorization }),
        ...(body !== undefined && { 'content-type': exchange.contentType ?? 'application/json' }),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    request.on('response', resolve);
    // Finds a connection that a watch only listens on to be dead within 20 s, where there is nobody at the other end.
    request.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed a kept connection in the same moment. That proves nothing, and all but POST may be repeated.
      const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      if (stale && exchange.method !== 'POST' && !signal.aborted) resolve(send(exchange, agent, signal));
      else reject(error);
    });
    request.end(body);
    return promise;
  }

  async function within<T>(
    exchange: Exchange,
    outer: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const what = `${exchange.method} ${exchange.path}`;
    const late = (): Error => new UnreachableError(what, 'ETIMEDOUT', `no answer within ${timeoutMs / 1000} s`);
    const { signal, end } = startDeadline(timeoutMs, late, outer);
    try {
      // What waits for credentials or a connection does not see the signal itself.
      return await unlessAborted(work(signal), signal);
    } catch (error) {
      const meaning = signal.aborted ? signal.reason : toUnreachable(what, error);
      // Where one connection was dead the idle ones are no better.
      if (meaning instanceof UnreachableError) dropIdle(pool);
      throw meaning;
    } finally {
      end();
    }
  }

  return {
    request: (exchange) =>
      within(exchange, closing.signal, async (signal) => {
        const answer = await send(exchange, pool, signal);
        const text = await textOf(answer);
        refuse(exchange, answer, text);
        // `/readyz` answers a word.
        return text === '' ? undefined : (tryParse(text) ?? text);
      }),
    open: (exchange, outer) =>
      within(exchange, outer, async (signal) => {
        const answer = await send(exchange, streams, signal);
        if (!isSuccess(answer)) refuse(exchange, answer, await textOf(answer));
        return answer;
      }),
    reconnect: () => pool.destroy(),
    close() {
      closing.abort(new UnreachableError('client', 'ECANCELED', 'closed'));
      pool.destroy();
      streams.destroy();
    },
  };
}

function refuse({ method, path }: Exchange, answer: http.IncomingMessage, text: string): void {
  if (isSuccess(answer)) return;
  const body = text.startsWith('{') ? tryParse(text) : undefined;
  throw refusalOf(`${method} ${path}`, answer.statusCode ?? 0, body, answer.headers['retry-after']);
}

function isSuccess({ statusCode = 0 }: http.IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

async function textOf(answer: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of answer as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toUnreachable(what: string, error: unknown): unknown {
  if (error instanceof ApiError || error instanceof UnreachableError) return error;
  const { code, name, message } = error as NodeJS.ErrnoException;
  return new UnreachableError(what, code ?? name, message || (code ?? name));
}

function dropIdle(pool: http.Agent): void {
  for (const socket of Object.values(pool.freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy();
}
