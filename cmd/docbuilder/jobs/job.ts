import type { ErrorBody } from '../../../src/common/errors.ts';
import type { Job } from '../../../src/common/generated/wire.ts';
import type { ResultFormat } from '../formats.ts';

export type JobKind = Job['kind'];
export type JobStatus = Job['status'];

/** A result file as the service keeps it. */
export interface OutputRecord {
  fileId: string;
  filename: string;
  format: ResultFormat;
  contentType: string;
  size: number;
  sha256: string;
  pages: number;
}

/** Delivery of the completion callback, with what a restart needs to go on with it. */
export interface CallbackRecord {
  url: string;
  deliveryId: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: number | null;
}

/** A job as the service keeps it. Times are epoch milliseconds. */
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
  /** Seconds after which it may go better, where a failed job says so (`Retry-After`). */
  retryAfter?: number | undefined;
  callback: CallbackRecord | null;
  /** Public address under which the job was asked for; its links start with it. */
  baseUrl: string;
  /** Milliseconds, for Server-Timing: in the queue, inside the engine. */
  timing: { queueMs: number; engineMs: number };
}

/** Returns whether a job's retention is over. */
export function isExpired({ expiresAt }: JobRecord, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
