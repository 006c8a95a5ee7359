import { S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from './config.ts';

export interface S3Settings extends S3Config {
  readonly timings?: S3Timings;
}

/** Milliseconds. */
export interface S3Timings {
  /** Time without a byte after which a server hangs. */
  idleMs: number;
  /** Time for a request without content, or for the beginning of an answer, with retries. */
  requestMs: number;
  /** Time that a read retries without a new byte. */
  patienceMs: number;
}

export const TIMINGS: S3Timings = { idleMs: 8_000, requestMs: 10_000, patienceMs: 15_000 };
const CONNECT_MS = 3_000;

/** Saves must not wait for downloads of slow clients. */
const AGENT = { maxSockets: Number.POSITIVE_INFINITY };

/** The default writes to the console; errors are thrown as well. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Creates a client, which follows no redirect and retries requests without a body up to three times. */
export function createS3Client({ endpoint, region, credentials, timings = TIMINGS }: S3Settings): S3Client {
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Both ways are checked by the SHA-256 that is known here, also where a server has no checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A server or a proxy that does not answer it would delay every save by 6 s.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: timings.idleMs,
      httpAgent: AGENT,
      httpsAgent: AGENT,
    },
    logger: SILENT,
  });
}
