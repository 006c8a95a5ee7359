import { S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from './config.ts';

export interface S3Settings extends S3Config {
  readonly timings?: S3Timings;
}

/** Milliseconds. */
export interface S3Timings {
  /** The time without a byte after which a server counts as hung. */
  idleMs: number;
  /** The time that a request without content may take, or an answer to begin, with repetitions. */
  requestMs: number;
  /** The time that a read goes on without a byte while the store fails. */
  patienceMs: number;
}

export const TIMINGS: S3Timings = { idleMs: 8_000, requestMs: 10_000, patienceMs: 15_000 };
const CONNECT_MS = 3_000;

/** No limit of connections: saves must not wait for downloads of slow clients. */
const AGENT = { maxSockets: Number.POSITIVE_INFINITY };

/** It would write to the console; what fails is thrown as well. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Creates the client. It follows no redirect, and repeats requests without a body of their own up to three times. */
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
