import { withDeadline } from '../net/deadline.ts';
import { isUnknownAuthority } from '../net/unknown-authority.ts';

/** Node's code for a certificate of another host. */
export const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** An error of the client. */
interface Thrown {
  name?: string;
  message?: string;
  /** Node's code, without an answer. */
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** A failed request to the object store, without address, access key or signature of the request. */
export class S3Error extends Error {
  /** The store's code, such as `NoSuchBucket`, or Node's; `ENOENT` for a missing object. */
  readonly code: string;
  /** Undefined without an answer. Not named `status`, which express would answer with. */
  readonly httpStatus: number | undefined;
  readonly operation: string;
  /** The message of the store or of Node. */
  readonly words: string;

  constructor(operation: string, thrown: unknown) {
    const { name = 'Error', message: told = '', code, $metadata } = (thrown ?? {}) as Thrown;
    // The client's word for none; Ceph sends none.
    const message = told === 'UnknownError' ? '' : told;
    const status = $metadata?.httpStatusCode;
    const what = status === undefined ? (code ?? name) : name;
    super(
      `object store, ${operation}: ${what}${status === undefined ? '' : ` (${status})`}${message && `: ${message}`}`,
    );
    this.name = 'S3Error';
    this.code = what === 'NoSuchKey' || what === 'NotFound' ? 'ENOENT' : what;
    this.httpStatus = status;
    this.operation = operation;
    this.words = message.split('\n', 1).join();
  }

  /**
   * Returns whether a retry may succeed: no answer, an error of the server, a conflict (409: AWS' `OperationAborted`,
   * versitygw when the last object of a folder goes), or a full bucket (Ceph's `QuotaExceeded`, MinIO's
   * `XMinioAdminBucketQuotaExceeded`).
   */
  get isPassing(): boolean {
    const { code, httpStatus: status } = this;
    const isLasting =
      ['CredentialsProviderError', OTHER_HOST].includes(code) || isUnknownAuthority(code) || status === 501;
    if (isLasting) return false;
    return status === undefined || status >= 500 || [408, 409, 429].includes(status) || code.endsWith('QuotaExceeded');
  }
}

/** Runs a request and its retries within a time. @throws {S3Error} */
export function answeredWithin<Result>(
  ms: number,
  operation: string,
  work: (options: { abortSignal: AbortSignal }) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> {
  const late = () => new S3Error(operation, { code: 'ETIMEDOUT', message: 'no answer in time' });
  return withDeadline(ms, late, outer, (signal) =>
    work({ abortSignal: signal }).catch((error: unknown) => {
      throw signal.reason instanceof S3Error ? signal.reason : new S3Error(operation, error);
    }),
  );
}
