import { DeleteObjectCommand, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { ConfigError } from '../../../../src/common/config.ts';
import type { Logger } from '../../../../src/common/log.ts';
import { createS3Client, type S3Settings, TIMINGS } from '../../../../src/common/s3/client.ts';
import { answeredWithin, type S3Error } from '../../../../src/common/s3/error.ts';
import { mistakeOf } from '../../../../src/common/s3/mistake.ts';
import { ObjectStream } from '../../../../src/common/s3/read.ts';
import { uploadFile } from '../../../../src/common/s3/write.ts';
import type { ReadResult } from '../../jobs/job-store.ts';

/** Removals under way at a time. */
const AT_ONCE = 16;

/** A result as an object. */
export interface ResultFile {
  jobId: string;
  fileId: string;
}

/** Result files in a bucket. */
export type Results = Awaited<ReturnType<typeof openResults>>;

/**
 * Opens the bucket, where results are objects `<prefix>jobs/<job>/<file>`.
 * @throws {ConfigError} when the store refuses what is configured. One that does not answer may do so later: that is only
 *   logged
 */
export async function openResults(settings: S3Settings, log: Pick<Logger, 'warn'>) {
  const { bucket: Bucket, timings = TIMINGS } = settings;
  const folder = `${settings.prefix}jobs/`;
  const client = createS3Client(settings);
  const keyOf = ({ jobId, fileId }: ResultFile): string => `${folder}${jobId}/${fileId}`;
  const request = <Result>(operation: string, send: (options: { abortSignal: AbortSignal }) => Promise<Result>) =>
    answeredWithin(timings.requestMs, operation, send);
  const list = (MaxKeys: number) =>
    request('list', (options) => client.send(new ListObjectsV2Command({ Bucket, Prefix: folder, MaxKeys }), options));
  const removeKey = (Key: string) =>
    request('remove', (options) => client.send(new DeleteObjectCommand({ Bucket, Key }), options));

  /** Tries all that is needed later, with an object of its own. */
  async function check(): Promise<void> {
    const Key = `${folder}probe`;
    await list(1);
    await request('put', (options) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'svc' }), options));
    await request('read', (options) => client.send(new HeadObjectCommand({ Bucket, Key }), options));
  }

  await check().catch((error: S3Error) => {
    if (!error.isPassing) throw new ConfigError([mistakeOf(error)]);
    log.warn({ err: error }, 'the object store does not work: results wait for it');
  });
  return {
    /** Uploads a file of a job that ended. Doing so again changes nothing. */
    put: (file: ResultFile & { path: string; size: number; sha256: string }) =>
      uploadFile(client, file, { bucket: Bucket, key: keyOf(file) }, undefined),
    read:
      (file: ResultFile, sha256: string): ReadResult =>
      (range) =>
        new ObjectStream(client, { bucket: Bucket, key: keyOf(file), sha256 }, range, timings),
    async remove(files: readonly ResultFile[]): Promise<void> {
      for (let start = 0; start < files.length; start += AT_ONCE) {
        await Promise.all(files.slice(start, start + AT_ONCE).map((file) => removeKey(keyOf(file))));
      }
    },
    /** The first thousand, by name: since a job's id begins with its time, the oldest. */
    async oldest(): Promise<ResultFile[]> {
      const { Contents = [] } = await list(1000);
      return Contents.flatMap(({ Key = '' }) => {
        const [jobId = '', fileId, ...more] = Key.slice(folder.length).split('/');
        return fileId === undefined || more.length > 0 ? [] : [{ jobId, fileId }];
      });
    },
  };
}
