import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { inBatches } from '../../../../src/common/batches.ts';
import type { Logger } from '../../../../src/common/log.ts';
import { checkBucket } from '../../../../src/common/s3/check.ts';
import { createS3Client, type S3Settings, TIMINGS } from '../../../../src/common/s3/client.ts';
import { answeredWithin } from '../../../../src/common/s3/error.ts';
import { ObjectStream } from '../../../../src/common/s3/read.ts';
import { uploadFile } from '../../../../src/common/s3/write.ts';
import type { ReadResult } from '../../jobs/job-store.ts';

/** Concurrent removals. */
const AT_ONCE = 16;

/** A result in the bucket. */
export interface ResultFile {
  jobId: string;
  fileId: string;
}

/** Result files in a bucket. */
export type Results = Awaited<ReturnType<typeof openResults>>;

/**
 * Opens the bucket; results are objects `<prefix>jobs/<job>/<file>`. A store that does not answer is logged.
 * @throws {ConfigError} when the store refuses the settings
 */
export async function openResults(settings: S3Settings, log: Pick<Logger, 'warn'>) {
  const { bucket: Bucket, timings = TIMINGS } = settings;
  const folder = `${settings.prefix}jobs/`;
  const client = createS3Client(settings);
  const toKey = ({ jobId, fileId }: ResultFile): string => `${folder}${jobId}/${fileId}`;
  const request = <Result>(operation: string, send: (options: { abortSignal: AbortSignal }) => Promise<Result>) =>
    answeredWithin(timings.requestMs, operation, send);
  const list = new ListObjectsV2Command({ Bucket, Prefix: folder });
  const removeKey = (Key: string) =>
    request('remove', (options) => client.send(new DeleteObjectCommand({ Bucket, Key }), options));

  await checkBucket(client, settings, folder, log);
  return {
    /** Uploads a file of an ended job; may be repeated. */
    put: (file: ResultFile & { path: string; size: number; sha256: string }) =>
      uploadFile(client, file, { bucket: Bucket, key: toKey(file) }, undefined),
    read:
      (file: ResultFile, sha256: string): ReadResult =>
      (range) =>
        new ObjectStream(client, { bucket: Bucket, key: toKey(file), sha256 }, range, timings),
    async remove(files: readonly ResultFile[]): Promise<void> {
      for (const batch of inBatches(files, AT_ONCE)) {
        await Promise.all(batch.map((file) => removeKey(toKey(file))));
      }
    },
    /** Returns the first thousand by name, which are the oldest: a job's id begins with its time. */
    async oldest(): Promise<ResultFile[]> {
      const { Contents = [] } = await request('list', (options) => client.send(list, options));
      return Contents.flatMap(({ Key = '' }) => {
        const [jobId = '', fileId, ...more] = Key.slice(folder.length).split('/');
        return fileId === undefined || more.length > 0 ? [] : [{ jobId, fileId }];
      });
    },
  };
}
