import type { Dispatcher, Pool } from 'undici';

/**
 * Sends a request that must be answered with 200.
 * @returns milliseconds from its first byte to the end of its answer
 */
export async function send(pool: Pool, request: Dispatcher.RequestOptions): Promise<number> {
  const started = performance.now();
  const { statusCode, body } = await pool.request(request);
  const answer = await body.text();
  if (statusCode !== 200) throw new Error(`${request.method} ${request.path}: ${statusCode} ${answer}`);
  return performance.now() - started;
}

/** Makes `bytes` differ from those of every other round, in place: bytes that are known already are not written again. */
export function stamped(bytes: Buffer, round: number): Buffer {
  bytes.writeUInt32BE(round);
  return bytes;
}
