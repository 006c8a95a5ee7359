import { rm } from 'node:fs/promises';
import { DeleteObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { Logger } from '../../../src/common/log.ts';
import { checkBucket } from '../../../src/common/s3/check.ts';
import { createS3Client, type S3Settings, TIMINGS } from '../../../src/common/s3/client.ts';
import { answeredWithin, type S3Error } from '../../../src/common/s3/error.ts';
import { ObjectStream } from '../../../src/common/s3/read.ts';
import { uploadFile } from '../../../src/common/s3/write.ts';
import type { Blobs } from '../domain/ports.ts';
import { checkBlobName } from './blobs.ts';

/**
 * Keeps blobs as objects `<prefix>documents/<name>` of a bucket.
 * @throws {ConfigError} when the store refuses the configuration; a store that does not answer is only logged
 */
export async function createS3Blobs(settings: S3Settings, log: Pick<Logger, 'warn'>): Promise<Blobs> {
  const { bucket: Bucket, timings = TIMINGS } = settings;
  const folder = `${settings.prefix}documents/`;
  const client = createS3Client(settings);
  await checkBucket(client, settings, folder, log);

  const getKey = (blob: string): string => folder + checkBlobName(blob);

  async function isThere(Key: string): Promise<boolean> {
    try {
      const head = new HeadObjectCommand({ Bucket, Key });
      await answeredWithin(timings.requestMs, 'head', (options) => client.send(head, options));
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
      const removal = new DeleteObjectCommand({ Bucket, Key: getKey(blob) });
      await answeredWithin(timings.requestMs, 'remove', (options) => client.send(removal, options));
    },
  };
}
