import { once } from 'node:events';
import * as http from 'node:http';
import type { IncomingHttpHeaders } from 'node:http2';
import * as https from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import * as tls from 'node:tls';
import { startDeadline, unlessAborted } from '../../../src/common/net/deadline.ts';
import { openTunnel } from '../../../src/common/net/proxy.ts';
import { VERSION } from '../../../src/common/version.ts';
import { ApiError, refusalOf, UnreachableError } from './api-error.ts';
import type { Connection } from './connection.ts';
import { createSessions } from './sessions.ts';

/** Below the 90 s after which the API server hangs up on an idle connection. */
const IDLE_MS = 30_000;
/** For a proxy to open a connection. */
const TUNNEL_MS = 10_000;
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

/** An answer whose body is still to come. */
interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Readable;
}

/** HTTP to the API server, over TLS that is always verified. Errors name method and path, never a header or body. */
export interface Transport {
  /**
   * The answer's JSON, undefined for an answer that has none.
   * @throws {ApiError | UnreachableError}
   */
  request(exchange: Exchange): Promise<unknown>;
  /**
   * An answer whose body goes on. Over TLS all of them share a connection, as far as the server speaks HTTP/2; otherwise each
   * has its own. The signal ends it at any time.
   * @throws {ApiError | UnreachableError}
   */
  open(exchange: Exchange, signal: AbortSignal): Promise<Readable>;
  /** Cuts all connections, which may be dead without a sign of it. What runs is sent again or rejects. */
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
  const sessions = createSessions(dial, timeoutMs);
  const closing = new AbortController();
  const { hostname, port } = new URL(connection.server);
  const authority = `${hostname}:${port || (secure ? 443 : 80)}`;
  if (connection.proxy) for (const agent of [pool, streams]) leadThrough(agent, connection.proxy, authority);

  /** A connection for HTTP/2, if the server will have it. */
  async function dial(signal: AbortSignal): Promise<tls.TLSSocket> {
    const { authorization: _, ...credentials } = await connection.credentials();
    const host = hostname.replace(/^\[|\]$/g, '');
    const tunnel = connection.proxy && { socket: await openTunnel(connection.proxy, authority, signal) };
    const servername = credentials.servername ?? (isIP(host) ? undefined : host);
    const socket = tls.connect({
      ...{
        ...credentials,
        host,
        port: Number(port || 443),
        ALPNProtocols: ['h2', 'http/1.1'],
        rejectUnauthorized: true,
      },
      ...(servername !== undefined && { servername }),
      ...tunnel,
    });
    socket.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
    await once(socket, 'secureConnect', { signal }).catch((error: Error) => {
      socket.destroy();
      throw error;
    });
    return socket;
  }

  /** Resolves when the head of an answer is there, over a connection that others share. @returns undefined: no HTTP/2 */
  async function openShared(exchange: Exchange, signal: AbortSignal): Promise<Answer | undefined> {
    const { authorization, ...credentials } = await connection.credentials();
    const { pathname, search } = urlOf(exchange);
    const stream = await sessions.open(
      JSON.stringify(credentials),
      { ...headersOf(exchange, authorization), ':method': exchange.method, ':path': pathname + search },
      signal,
    );
    if (!stream) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders>();
    stream.once('response', resolve);
    // With its connection a stream may end without an error.
    stream.once('close', () => reject(stream.errored ?? new Error('the connection was closed')));
    const headers = await promise;
    return { status: Number(headers[':status']), headers, body: stream };
  }

  /** Resolves when the head of an answer is there. */
  async function send(exchange: Exchange, agent: http.Agent, signal: AbortSignal): Promise<Answer> {
    const { authorization, ...credentials } = await connection.credentials();
    const body = exchange.body === undefined ? undefined : JSON.stringify(exchange.body);
    const request = (secure ? https : http).request(urlOf(exchange), {
      ...credentials,
      rejectUnauthorized: true,
      agent,
      method: exchange.method,
      signal,
      headers: {
        ...headersOf(exchange, authorization),
        ...(body !== undefined && { 'content-type': exchange.contentType ?? 'application/json' }),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    request.on('response', (response) =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response }),
    );
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

  function urlOf({ path, query }: Exchange): URL {
    const url = new URL(connection.server + path);
    url.search = new URLSearchParams(query).toString();
    return url;
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
        const text = await textOf(answer.body);
        refuse(exchange, answer, text);
        // `/readyz` answers a word.
        return text === '' ? undefined : (tryParse(text) ?? text);
      }),
    open: (exchange, outer) =>
      within(exchange, outer, async (signal) => {
        const shared = secure ? await openShared(exchange, signal) : undefined;
        const answer = shared ?? (await send(exchange, streams, signal));
        if (!isSuccess(answer)) refuse(exchange, answer, await textOf(answer.body));
        return answer.body;
      }),
    reconnect() {
      pool.destroy();
      sessions.drop();
    },
    close() {
      closing.abort(new UnreachableError('client', 'ECANCELED', 'closed'));
      pool.destroy();
      streams.destroy();
      sessions.drop();
    },
  };
}

/** Has an agent make its connections through a proxy. */
function leadThrough(agent: http.Agent, proxy: URL, authority: string): void {
  agent.createConnection = (options, callback) => {
    openTunnel(proxy, authority, AbortSignal.timeout(TUNNEL_MS)).then(
      (socket) => callback?.(null, tls.connect({ ...(options as tls.ConnectionOptions), socket })),
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
}

function headersOf({ accept }: Exchange, authorization: string | undefined): Record<string, string> {
  return {
    accept: accept ?? 'application/json',
    'user-agent': `svc-controller/${VERSION}`,
    ...(authorization !== undefined && { authorization }),
  };
}

function refuse({ method, path }: Exchange, answer: Answer, text: string): void {
  if (isSuccess(answer)) return;
  const body = text.startsWith('{') ? tryParse(text) : undefined;
  throw refusalOf(`${method} ${path}`, answer.status, body, answer.headers['retry-after']);
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

async function textOf(body: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body as AsyncIterable<Buffer>) pieces.push(piece);
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
