import { hash, randomUUID } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { ConfigError } from '../config.ts';
import type { Logger } from '../log.ts';
import { type S3Settings, TIMINGS } from './client.ts';
import { answeredWithin, S3Error } from './error.ts';
import { describeMistake, NOT_KEPT } from './mistake.ts';

/**
 * Tries all that is needed later, with an object of its own.
 * @param folder the beginning of the objects' names
 * @throws {ConfigError} when the store refuses what is configured. One that does not answer may do so later: that is only
 *   logged
 */
export async function checkBucket(
  client: S3Client,
  { bucket: Bucket, timings = TIMINGS }: S3Settings,
  folder: string,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  // Others may try at the same time.
  const Key = `${folder}probe-${randomUUID()}`;
  const request = (operation: string, send: (options: { abortSignal: AbortSignal }) => Promise<unknown>) =>
    answeredWithin(timings.requestMs, operation, send);
  try {
    // A store that has no checksums would refuse every upload.
    const ChecksumSHA256 = hash('sha256', Key, 'base64');
    const put = new PutObjectCommand({ Bucket, Key, Body: Key, ChecksumSHA256 });
    await request('put', (options) => client.send(put, options));
    const kept = await request('read', async (options) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), options);
      return text(addAbortSignal(options.abortSignal, Body as Readable));
    });
    // A web server that has one page for everything says yes to all of this.
    if (kept !== Key) throw new S3Error('read', { name: NOT_KEPT, $metadata: { httpStatusCode: 200 } });
    await request('remove', (options) => client.send(new DeleteObjectCommand({ Bucket, Key }), options));
  } catch (error) {
    if (!(error as S3Error).isPassing) throw new ConfigError([describeMistake(error as S3Error)]);
    log.warn({ err: error }, 'the object store does not work: what is to be stored waits for it');
  }
}
