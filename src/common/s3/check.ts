import { hash, randomUUID } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { ConfigError } from '../config.ts';
import type { Mistake } from '../errors.ts';
import type { Logger } from '../log.ts';
import { isUnknownAuthority } from '../net/unknown-authority.ts';
import { type S3Settings, TIMINGS } from './client.ts';
import { answeredWithin, OTHER_HOST, S3Error } from './error.ts';

/** The answer has other bytes than were put. */
const NOT_KEPT = 'NotKept';

/**
 * Puts, reads and removes an object. A store that does not answer is logged.
 * @throws {ConfigError} when the store refuses the settings
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

/** Variable and message by the code of the store or of Node. */
const MISTAKES: Readonly<Record<string, readonly [variable: string, message: string]>> = {
  NoSuchBucket: ['SVC_S3_BUCKET', 'names a bucket that does not exist'],
  ENOENT: ['SVC_S3_BUCKET', 'names a bucket that does not exist'],
  InvalidAccessKeyId: ['SVC_S3_ACCESS_KEY_ID', 'is not known to the object store'],
  XAdminUserNotFound: ['SVC_S3_ACCESS_KEY_ID', 'is not known to the object store'], // versitygw
  SignatureDoesNotMatch: ['SVC_S3_SECRET_ACCESS_KEY', 'is not the secret of the access key'],
  [NOT_KEPT]: ['SVC_S3_ENDPOINT', 'is not an object store: what is put there is not kept'],
  CredentialsProviderError: ['SVC_S3_ACCESS_KEY_ID', 'is missing, and there are no credentials elsewhere'],
  PermanentRedirect: ['SVC_S3_REGION', 'is not the region of the bucket'],
  AuthorizationHeaderMalformed: ['SVC_S3_REGION', 'is not the region of the bucket'],
};

/** Converts a store's refusal to a mistake of the configuration. */
function describeMistake({ code, httpStatus: status, operation, words }: S3Error): Mistake {
  const said = words && `: ${words}`;
  const of = (path: string, message: string): Mistake => ({ path, message });
  if (isUnknownAuthority(code)) {
    const remedy = 'name the authority in NODE_EXTRA_CA_CERTS (spec.outbound.caBundle)';
    return of('SVC_S3_ENDPOINT', `has a certificate that no known authority has signed (${code}): ${remedy}`);
  }
  if (code === OTHER_HOST) return of('SVC_S3_ENDPOINT', `has a certificate for other hosts (${code}): ${words}`);
  if (code === 'AccessDenied')
    return of('SVC_S3_BUCKET', `may not be used with these credentials: ${operation} is denied${said}`);
  const known = MISTAKES[code];
  return known
    ? of(...known)
    : of('SVC_S3_ENDPOINT', `answers the request to ${operation} with ${code} (${status})${said}`);
}
