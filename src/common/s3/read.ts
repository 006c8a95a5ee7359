import { createHash, type Hash } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { ByteRange } from '../byte-range.ts';
import type { S3Timings } from './client.ts';
import { answeredWithin, S3Error } from './error.ts';

/** Milliseconds between retries. */
const RETRY_MS = 250;

export interface StoredObject {
  bucket: string;
  key: string;
  sha256: string;
}

type Timings = Pick<S3Timings, 'requestMs' | 'patienceMs'>;

/**
 * Reads an object, or a range of it. A broken connection is replaced by one that continues: objects never change. Fails
 * when the store does for a while, and before the last bytes when the content is not the stored one.
 */
export class ObjectStream extends Readable {
  readonly #closed = new AbortController();
  readonly #pieces: AsyncGenerator<Buffer, undefined>;

  constructor(client: S3Client, object: StoredObject, range: ByteRange | undefined, timings: Timings) {
    super();
    this.#pieces = getPieces(client, object, range, this.#closed.signal, timings);
  }

  override _read(): void {
    this.#pieces.next().then(
      ({ value = null }) => this.push(value),
      (error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#closed.abort();
    this.#pieces.return(undefined).finally(() => done(error));
  }
}

async function* getPieces(
  client: S3Client,
  object: StoredObject,
  range: ByteRange | undefined,
  closed: AbortSignal,
  { requestMs, patienceMs }: Timings,
): AsyncGenerator<Buffer, undefined> {
  const hash = range ? undefined : createHash('sha256');
  let position = range?.start ?? 0;
  let end = Number.POSITIVE_INFINITY;
  let lastByteAt = performance.now();
  while (position < end) {
    try {
      const answer = await answeredWithin(
        requestMs,
        'read',
        (options) => get(client, object, position, range, options),
        closed,
      );
      end = position + answer.size;
      for await (const piece of addAbortSignal(closed, answer.body)) {
        position += piece.length;
        hash?.update(piece);
        if (position === end) checkBytes(object, hash);
        yield piece;
        lastByteAt = performance.now();
      }
      if (end === 0) checkBytes(object, hash);
    } catch (thrown) {
      const error = thrown instanceof S3Error ? thrown : new S3Error('read', thrown);
      if (closed.aborted || !error.isPassing || performance.now() - lastByteAt > patienceMs) throw error;
      await sleep(RETRY_MS, undefined, { signal: closed });
    }
  }
  return undefined;
}

/** Starts a read at a position. @returns the bytes from there on, and their number */
async function get(
  client: S3Client,
  { bucket, key }: StoredObject,
  position: number,
  range: ByteRange | undefined,
  options: { abortSignal: AbortSignal },
): Promise<{ body: Readable; size: number }> {
  const Range = range || position > 0 ? `bytes=${position}-${range?.end ?? ''}` : undefined;
  const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range }), options);
  const body = answer.Body as Readable;
  const size = answer.ContentLength;
  if (size !== undefined && (!Range || size === parseSize(answer.ContentRange, position, range))) return { body, size };
  body.destroy();
  throw new S3Error('read', { name: 'UnexpectedAnswer', $metadata: { httpStatusCode: 502 } });
}

/** Returns the number of bytes of an answer; undefined when its range is another one. */
function parseSize(contentRange = '', position: number, range: ByteRange | undefined): number | undefined {
  const [, first, last, total] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange) ?? []).map(Number);
  const wanted = Math.min(range?.end ?? Number.POSITIVE_INFINITY, Number(total) - 1);
  return first === position && last === wanted ? last - first + 1 : undefined;
}

/** @throws {S3Error} when the bytes that were read are others */
function checkBytes({ sha256 }: StoredObject, hash: Hash | undefined): void {
  if (!hash || hash.digest('hex') === sha256) return;
  const message = `the bytes are not those of ${sha256}`;
  throw new S3Error('read', { name: 'WrongBytes', message, $metadata: { httpStatusCode: 400 } });
}
