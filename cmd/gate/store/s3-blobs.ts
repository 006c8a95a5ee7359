import { rm } from 'node:fs/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ConfigError } from '../../../src/common/config.ts';
import type { Logger } from '../../../src/common/log.ts';
import { createS3Client, type S3Settings, TIMINGS } from '../../../src/common/s3/client.ts';
import { answeredWithin, type S3Error } from '../../../src/common/s3/error.ts';
import { mistakeOf } from '../../../src/common/s3/mistake.ts';
import { ObjectStream } from '../../../src/common/s3/read.ts';
import { uploadFile } from '../../../src/common/s3/write.ts';
import type { Blobs } from '../domain/ports.ts';
import { isSha256 } from './sha256.ts';

type Request = <Result>(
  operation: string,
  send: (options: { abortSignal: AbortSignal }) => Promise<Result>,
) => Promise<Result>;

/**
 * Keeps blobs as objects `<prefix>documents/<SHA-256>` of a bucket. An object is there as a whole or not at all, and a put
 * replaces it by the same bytes, so any number of processes can put the same one. The object `<prefix>database` names the
 * database that they belong to: with another one, all of them would be removed as nobody's.
 * @param databaseId of the rows
 * @throws {ConfigError} when the store refuses what is configured. One that does not answer may do so later: that is only
 *   logged
 */
export async function createS3Blobs(
  settings: S3Settings,
  databaseId: string,
  log: Pick<Logger, 'warn'>,
): Promise<Blobs> {
  const { bucket: Bucket, timings = TIMINGS } = settings;
  const folder = `${settings.prefix}documents/`;
  const client = createS3Client(settings);
  // Transactions wait for removals.
  const request: Request = (operation, send) => answeredWithin(timings.requestMs, operation, send);
  const claim = () => claimFor(databaseId, client, { Bucket, Key: `${settings.prefix}database`, request });
  await check(client, { Bucket, folder, request })
    .then(claim)
    .catch((error: S3Error | ConfigError) => {
      if (error instanceof ConfigError) throw error;
      if (!error.isPassing) throw new ConfigError([mistakeOf(error)]);
      log.warn({ err: error }, 'the object store does not work: saves wait for it');
    });

  function getKey(sha256: string): string {
    if (!isSha256(sha256)) throw new TypeError('not a SHA-256');
    return folder + sha256;
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
    async put(file, signal) {
      const key = getKey(file.sha256);
      await uploadFile(client, file, { bucket: Bucket, key }, signal).catch(async (error: NodeJS.ErrnoException) => {
        // An earlier call put it, and has removed the file.
        if (error.code !== 'ENOENT' || !(await isThere(key))) throw error;
      });
      await rm(file.path, { force: true });
    },

    read: (sha256, range) => new ObjectStream(client, { bucket: Bucket, key: getKey(sha256), sha256 }, range, timings),

    async remove(sha256) {
      const Key = getKey(sha256);
      await request('remove', (options) => client.send(new DeleteObjectCommand({ Bucket, Key }), options));
    },

    async list() {
      // The store may have been away at the start.
      await claim();
      const names: string[] = [];
      let ContinuationToken: string | undefined;
      do {
        const page = new ListObjectsV2Command({ Bucket, Prefix: folder, ContinuationToken });
        const { Contents = [], NextContinuationToken } = await request('list', (options) => client.send(page, options));
        names.push(...Contents.map(({ Key = '' }) => Key.slice(folder.length)));
        ContinuationToken = NextContinuationToken;
      } while (ContinuationToken !== undefined);
      return names.filter(isSha256);
    },
  };
}

/** Tries all that is needed later, with an object of its own. @throws {S3Error} */
async function check(
  client: S3Client,
  { Bucket, folder, request }: { Bucket: string; folder: string; request: Request },
): Promise<void> {
  const Key = `${folder}probe`;
  const list = new ListObjectsV2Command({ Bucket, Prefix: folder, MaxKeys: 1 });
  await request('list', (options) => client.send(list, options));
  await request('put', (options) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'svc' }), options));
  await request('read', (options) => client.send(new HeadObjectCommand({ Bucket, Key }), options));
  await request('remove', (options) => client.send(new DeleteObjectCommand({ Bucket, Key }), options));
}

/**
 * Notes which database the objects belong to, unless that is known.
 * @throws {ConfigError} when it is another one
 */
async function claimFor(
  databaseId: string,
  client: S3Client,
  { Bucket, Key, request }: { Bucket: string; Key: string; request: Request },
): Promise<void> {
  const known = await request('read', async (options) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), options);
    return Body?.transformToString();
  }).catch((error: S3Error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (known === undefined) {
    const put = new PutObjectCommand({ Bucket, Key, Body: databaseId });
    await request('put', (options) => client.send(put, options));
  } else if (known !== databaseId) {
    const message = `has documents of another database than this gate's: restore that one, or remove the object ${Key}`;
    throw new ConfigError([{ path: 'SVC_S3_BUCKET', message }]);
  }
}
