import type { Dispatcher } from 'undici';
import { toFetchError } from './failure.ts';
import { pinnedClient } from './pinned-client.ts';
import type { Target } from './target.ts';

export type IncomingResponse = Dispatcher.ResponseData;

export interface OutgoingRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
}

/**
 * One request and its answer over one connection of its own, closed whatever happens. Follows nothing.
 * @param read takes what it wants of the answer; what it leaves unread is never fetched
 * @param proxy through which all targets are reached but the listed ones
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

/** A header as it was sent when it was sent once. Bytes that are valid UTF-8 are read as such, others as Latin-1. */
export function getHeader(response: IncomingResponse, name: string): string | undefined {
  const value = response.headers[name];
  if (typeof value !== 'string') return undefined;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : value;
}
