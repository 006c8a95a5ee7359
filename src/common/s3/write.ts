import { createReadStream } from 'node:fs';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { S3Error } from './error.ts';

/**
 * Uploads a file. Its SHA-256 is signed as the content's hash, which every S3 server verifies, and stored as a
 * checksum.
 * @throws {S3Error}, and errors of the file as they are
 */
export async function uploadFile(
  client: S3Client,
  { path, size, sha256 }: { path: string; size: number; sha256: string },
  target: { bucket: string; key: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const broken = new AbortController();
  // The client waits for the rest of a body that has failed.
  file.once('error', (error) => broken.abort(error));
  const checksum = Buffer.from(sha256, 'hex').toString('base64');
  const put = new PutObjectCommand({
    Bucket: target.bucket,
    Key: target.key,
    Body: file,
    ContentLength: size,
    ChecksumSHA256: checksum,
  });
  put.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
      return next(args);
    },
    { step: 'build', name: 'signContent' },
  );
  const abortSignal = AbortSignal.any([broken.signal, ...(signal ? [signal] : [])]);
  try {
    const { ETag, ChecksumSHA256 = checksum } = await client.send(put, { abortSignal });
    if (ETag === undefined) throw new Error('the answer is not that of a store');
    if (ChecksumSHA256 !== checksum) throw new Error('the store has taken in other bytes');
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : new S3Error('put', error);
  } finally {
    file.destroy();
  }
}
