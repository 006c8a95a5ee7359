import type { ErrorBody } from '../../../src/common/errors.ts';
import type { Job } from '../../../src/common/generated/wire.ts';
import type { ResultFormat } from '../formats.ts';

export type JobKind = Job['kind'];
export type JobStatus = Job['status'];

/** A stored result file. */
export interface OutputRecord {
  fileId: string;
  filename: string;
  format: ResultFormat;
  contentType: string;
  size: number;
  sha256: string;
  pages: number;
}

/** Delivery of the completion callback; a restart continues it. */
export interface CallbackRecord {
  url: string;
  deliveryId: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: number | null;
}

/** A stored job. Times are epoch milliseconds. */
export interface JobRecord {
  id: string;
  kind: JobKind;
  status: JobStatus;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  expiresAt: number | null;
  outputs: OutputRecord[];
  error: ErrorBody | null;
  /** Seconds, `Retry-After` of a failed job's error. */
  retryAfter?: number | undefined;
  callback: CallbackRecord | null;
  /** Public address of the request; the job's links start with it. */
  baseUrl: string;
  /** Milliseconds, for Server-Timing: in the queue, inside the engine. */
  timing: { queueMs: number; engineMs: number };
}

/** Returns whether a job's retention is over. */
export function isExpired({ expiresAt }: JobRecord, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
