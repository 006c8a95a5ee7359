import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { unescape as decode } from 'node:querystring';
import { basicAuthorization } from '../http/basic-auth.ts';

/** A proxy has opened no tunnel; the message does not name the target. */
class ProxyError extends Error {
  readonly code = 'ERR_PROXY_REFUSED';

  constructor(status: number | undefined) {
    super(`the proxy refused with ${status}`);
    this.name = 'ProxyError';
  }
}

/**
 * Opens a tunnel through an HTTP proxy (RFC 9110, section 9.3.6: CONNECT). @param authority `host:port` of the target
 */
export async function openTunnel(proxy: URL, authority: string, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const request = (proxy.protocol === 'https:' ? https : http).request(proxy, {
    method: 'CONNECT',
    path: authority,
    agent: false,
    signal,
    headers: { host: authority, ...proxyAuthorization(proxy) },
  });
  request.once('connect', (response, socket, head) => {
    if (response.statusCode !== 200) {
      socket.destroy();
      return reject(new ProxyError(response.statusCode));
    }
    if (head.length > 0) socket.unshift(head);
    resolve(socket as Socket);
  });
  request.once('error', reject);
  request.end();
  return promise;
}

/** Parses the address of a proxy, `http://[user:password@]host:port`. */
export function parseProxy(text: string): { proxy: URL | undefined; mistakes: string[] } {
  if (text === '') return { proxy: undefined, mistakes: [] };
  const url = URL.parse(text);
  const sound =
    url && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && url.search + url.hash === '';
  if (sound) {
    // A `%` that begins no escape stands for itself, and Node would refuse it at each request.
    url.username = encodeURIComponent(decode(url.username));
    url.password = encodeURIComponent(decode(url.password));
    return { proxy: url, mistakes: [] };
  }
  // Not repeated: there may be a password in it.
  return { proxy: undefined, mistakes: ['must be the address of a proxy, such as http://proxy.example:3128'] };
}

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  return { 'proxy-authorization': basicAuthorization(decodeURIComponent(username), decodeURIComponent(password)) };
}
