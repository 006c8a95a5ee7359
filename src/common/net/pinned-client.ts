import type { LookupAddress } from 'node:dns';
import { type LookupFunction, Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { parseAddress } from './address.ts';
import { openTunnel } from './proxy.ts';
import { getPort, type Target } from './target.ts';

/** Milliseconds for one TCP and TLS handshake; the deadline of the whole request may be shorter. */
const CONNECT_TIMEOUT = 10_000;

/**
 * A client for one request, whose one connection can go to the target's checked addresses and nowhere else. Host
 * header, server name (SNI) and certificate check are those of the URL. Proxies of the environment are not used.
 * @param signal aborting it ends a handshake under way
 * @param proxy leads to all targets but the listed ones. It gets a checked address, never a name
 */
export function pinnedClient(target: Target, signal: AbortSignal, proxy?: URL): Client {
  if (proxy && !target.listed) return proxiedClient(target, signal, proxy);
  const pinned = new Set(target.addresses.map(String));
  const connect = buildConnector({ lookup: pinnedLookup(target), allowH2: false, timeout: CONNECT_TIMEOUT });
  return new Client(target.url.origin, {
    // The request has a deadline as a whole; these would only add a second, coarser clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      const connecting: unknown = connect(options, (error, socket) => {
        if (error) return callback(error, null);
        // Node asks no lookup for a host that is an address, so what counts is where the connection ended up.
        const peer = parseAddress(socket.remoteAddress ?? '');
        if (peer && pinned.has(peer.toString())) return callback(null, socket);
        socket.destroy();
        callback(new Error('connected to an address that was not checked'), null);
      });
      if (connecting instanceof Socket) signal.addEventListener('abort', () => connecting.destroy(), { once: true });
    },
  });
}

function proxiedClient(target: Target, signal: AbortSignal, proxy: URL): Client {
  const secure = buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT });
  const limited = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT)]);
  return new Client(target.url.origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) => {
      tunnelTo(target, limited, proxy).then(
        (socket) => {
          signal.addEventListener('abort', () => socket.destroy(), { once: true });
          if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
  });
}

/** To the first of the addresses that the proxy reaches. */
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
