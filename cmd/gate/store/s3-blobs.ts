import { rm } from 'node:fs/promises';
import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { ConfigError } from '../../../src/common/config.ts';
import type { Logger } from '../../../src/common/log.ts';
import { createS3Client, type S3Settings, TIMINGS } from '../../../src/common/s3/client.ts';
import { answeredWithin, type S3Error } from '../../../src/common/s3/error.ts';
import { mistakeOf } from '../../../src/common/s3/mistake.ts';
import { ObjectStream } from '../../../src/common/s3/read.ts';
import { uploadFile } from '../../../src/common/s3/write.ts';
import type { Blobs } from '../domain/ports.ts';
import { checkBlobName } from './blob-name.ts';

type Request = <Result>(
  operation: string,
  send: (options: { abortSignal: AbortSignal }) => Promise<Result>,
) => Promise<Result>;

/**
 * Keeps blobs as objects `<prefix>documents/<name>` of a bucket. An object is there as a whole or not at all.
 * @throws {ConfigError} when the store refuses what is configured. One that does not answer may do so later: that is only
 *   logged
 */
export async function createS3Blobs(settings: S3Settings, log: Pick<Logger, 'warn'>): Promise<Blobs> {
  const { bucket: Bucket, timings = TIMINGS } = settings;
  const folder = `${settings.prefix}documents/`;
  const client = createS3Client(settings);
  const request: Request = (operation, send) => answeredWithin(timings.requestMs, operation, send);
  await check(client, { Bucket, folder, request }).catch((error: S3Error) => {
    if (!error.isPassing) throw new ConfigError([mistakeOf(error)]);
    log.warn({ err: error }, 'the object store does not work: saves wait for it');
  });

  function getKey(blob: string): string {
    return folder + checkBlobName(blob);
  }

  async function isThere(Key: string): Promise<boolean> {
    try {
      await request('head', (options) => client.send(new HeadObjectCommand({ Bucket, Key }), options));
      return true;
    } catch (error) {
      if ((error as S3Error).code === 'ENOENT') return false;
      throw error;
    }
  }

  return {
    async put(file, blob, signal) {
      const key = getKey(blob);
      await uploadFile(client, file, { bucket: Bucket, key }, signal).catch(async (error: NodeJS.ErrnoException) => {
        // An earlier call put it, and has removed the file.
        if (error.code !== 'ENOENT' || !(await isThere(key))) throw error;
      });
      await rm(file.path, { force: true });
    },

    read: ({ blob, sha256 }, range) =>
      new ObjectStream(client, { bucket: Bucket, key: getKey(blob), sha256 }, range, timings),

    async remove(blob) {
      const Key = getKey(blob);
      await request('remove', (options) => client.send(new DeleteObjectCommand({ Bucket, Key }), options));
    },
  };
}

/** Tries all that is needed later, with an object of its own. @throws {S3Error} */
async function check(
  client: S3Client,
  { Bucket, folder, request }: { Bucket: string; folder: string; request: Request },
): Promise<void> {
  const Key = `${folder}probe`;
  await request('put', (options) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'svc' }), options));
  await request('read', (options) => client.send(new HeadObjectCommand({ Bucket, Key }), options));
  await request('remove', (options) => client.send(new DeleteObjectCommand({ Bucket, Key }), options));
}
