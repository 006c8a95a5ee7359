import type { LookupAddress } from 'node:dns';
import { type LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { parseAddress } from './address.ts';
import { toFetchError } from './failure.ts';
import { openTunnel } from './proxy.ts';
import { getPort, type Target } from './target.ts';

/** Milliseconds for one TCP and TLS handshake. */
const CONNECT_TIMEOUT = 10_000;

export type IncomingResponse = Dispatcher.ResponseData;

export interface OutgoingRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
}

/**
 * Sends one request over a connection of its own, and closes it. Follows no redirect.
 * @param read reads the answer; the rest is not fetched
 * @param proxy for all targets but the listed ones
 * @throws {AppError} download_failed; the signal's reason once it has aborted
 */
export async function exchange<T>(
  target: Target,
  request: OutgoingRequest,
  signal: AbortSignal,
  read: (response: IncomingResponse) => Promise<T>,
  proxy?: URL,
): Promise<T> {
  const client = pinnedClient(target, signal, proxy);
  // A request that waits for its connection does not see the signal itself.
  const stop = (): void => void client.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const path = target.url.pathname + target.url.search;
    const response = await client
      .request({ ...request, path, signal })
      .catch((error: unknown) => Promise.reject(toFetchError(error, signal)));
    return await read(response);
  } finally {
    signal.removeEventListener('abort', stop);
    await client.destroy();
  }
}

/** Returns a header that was sent once, decoded as UTF-8 if it is valid, else as Latin-1. */
export function getHeader(response: IncomingResponse, name: string): string | undefined {
  const value = response.headers[name];
  if (typeof value !== 'string') return undefined;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : value;
}

/**
 * Creates a client that connects to the target's checked addresses only. Host header, server name (SNI) and certificate
 * check are those of the URL. Proxies of the environment are ignored.
 * @param signal also aborts a handshake
 * @param proxy for all targets but the listed ones; it gets a checked address, no name
 */
export function pinnedClient(target: Target, signal: AbortSignal, proxy?: URL): Client {
  return new Client(target.url.origin, {
    // The request has a deadline as a whole; these would only add a second, coarser clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: proxy && !target.listed ? throughProxy(target, signal, proxy) : directly(target, signal),
  });
}

function directly(target: Target, signal: AbortSignal): buildConnector.connector {
  const pinned = new Set(target.addresses.map(String));
  const connect = buildConnector({ lookup: pinnedLookup(target), allowH2: false, timeout: CONNECT_TIMEOUT });
  return (options, callback) => {
    const connecting: unknown = connect(options, (error, socket) => {
      if (error) return callback(error, null);
      // Node asks no lookup for a host that is an address, so what counts is where the connection ended up.
      const peer = parseAddress(socket.remoteAddress ?? '');
      if (peer && pinned.has(peer.toString())) return callback(null, socket);
      socket.destroy();
      callback(new Error('connected to an address that was not checked'), null);
    });
    if (connecting instanceof Socket) signal.addEventListener('abort', () => connecting.destroy(), { once: true });
  };
}

function throughProxy(target: Target, signal: AbortSignal, proxy: URL): buildConnector.connector {
  const secure = buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT });
  const limited = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT)]);
  return (options, callback) => {
    tunnelTo(target, limited, proxy).then(
      (socket) => {
        signal.addEventListener('abort', () => socket.destroy(), { once: true });
        if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** Opens a tunnel to the first address that the proxy reaches. */
async function tunnelTo({ url, addresses }: Target, signal: AbortSignal, proxy: URL): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    const host = address.kind() === 'ipv4' ? String(address) : `[${address}]`;
    try {
      return await openTunnel(proxy, `${host}:${getPort(url)}`, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

function pinnedLookup({ addresses: [first, ...others] }: Target): LookupFunction {
  const entry = (address: typeof first): LookupAddress => ({
    address: address.toString(),
    family: address.kind() === 'ipv4' ? 4 : 6,
  });
  return (_name, options, callback) => {
    if (options.all) callback(null, [first, ...others].map(entry));
    else callback(null, entry(first).address, entry(first).family);
  };
}
