import type { Mistake } from '../errors.ts';
import { isUnknownAuthority } from '../net/unknown-authority.ts';
import { OTHER_HOST, type S3Error } from './error.ts';

/** The code of an answer that is no store's: it has other bytes than were put. */
export const NOT_KEPT = 'NotKept';

/** Says what is wrong with the configuration of a store that has refused a request. */
export function describeMistake({ code, httpStatus: status, operation, words }: S3Error): Mistake {
  if (isUnknownAuthority(code)) {
    const message = `has a certificate that no known authority has signed (${code}): name the authority in NODE_EXTRA_CA_CERTS (spec.outbound.caBundle)`;
    return { path: 'SVC_S3_ENDPOINT', message };
  }
  const said = words && `: ${words}`;
  switch (code) {
    case 'NoSuchBucket':
    case 'ENOENT':
      return { path: 'SVC_S3_BUCKET', message: 'names a bucket that does not exist' };
    case 'InvalidAccessKeyId':
    case 'XAdminUserNotFound': // versitygw
      return { path: 'SVC_S3_ACCESS_KEY_ID', message: 'is not known to the object store' };
    case 'SignatureDoesNotMatch':
      return { path: 'SVC_S3_SECRET_ACCESS_KEY', message: 'is not the secret of the access key' };
    case OTHER_HOST:
      return { path: 'SVC_S3_ENDPOINT', message: `has a certificate for other hosts (${code}): ${words}` };
    case NOT_KEPT:
      return { path: 'SVC_S3_ENDPOINT', message: 'is not an object store: what is put there is not kept' };
    case 'CredentialsProviderError':
      return { path: 'SVC_S3_ACCESS_KEY_ID', message: 'is missing, and there are no credentials elsewhere' };
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
      return { path: 'SVC_S3_REGION', message: 'is not the region of the bucket' };
    case 'AccessDenied':
      return {
        path: 'SVC_S3_BUCKET',
        message: `may not be used with these credentials: ${operation} is denied${said}`,
      };
    default:
      return {
        path: 'SVC_S3_ENDPOINT',
        message: `answers the request to ${operation} with ${code} (${status})${said}`,
      };
  }
}
