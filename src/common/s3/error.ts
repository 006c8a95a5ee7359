import { withDeadline } from '../net/deadline.ts';
import { isUnknownAuthority } from '../net/unknown-authority.ts';

/** Node's code for a certificate that does not name the host that was asked for. */
export const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** The errors that S3 clients throw, as far as they matter here. */
interface Thrown {
  name?: string;
  message?: string;
  /** The code of Node, when there was no answer. */
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/**
 * A request to the object store that failed. Unlike the client's error it has nothing of the request: no address, no
 * access key, nothing that was signed.
 */
export class S3Error extends Error {
  /** The store's code, such as `NoSuchBucket`, or Node's; `ENOENT` for an object that is not there, as of a file. */
  readonly code: string;
  /** Undefined when there was no answer. It is no `status`: that of an error is one to answer a client with. */
  readonly httpStatus: number | undefined;
  readonly operation: string;
  /** What the store says of it, or Node. */
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
   * Returns whether the same request may work in a moment: there was no answer, or one that blames the server or another
   * request (409: AWS' `OperationAborted`, versitygw where the last object of the same folder goes), or a bucket that is
   * full (Ceph's `QuotaExceeded`, MinIO's `XMinioAdminBucketQuotaExceeded`).
   */
  get isPassing(): boolean {
    const { code, httpStatus: status } = this;
    const isLasting =
      ['CredentialsProviderError', OTHER_HOST].includes(code) || isUnknownAuthority(code) || status === 501;
    if (isLasting) return false;
    return status === undefined || status >= 500 || [408, 409, 429].includes(status) || code.endsWith('QuotaExceeded');
  }
}

/**
 * Runs a request that has to be answered within a time, repetitions included.
 * @throws {S3Error}
 */
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
