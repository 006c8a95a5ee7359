import type { Readable } from 'node:stream';
import type { ByteRange } from '../../../src/common/byte-range.ts';
import { AppError } from '../../../src/common/errors.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';
import type { JobRecord, OutputRecord } from './job.ts';

/** Reads a result file, or a range of it. */
export type ReadResult = (range?: ByteRange) => Readable;

/** Keeps jobs and their files. */
export interface JobStore {
  /** @throws {AppError} `pool_unavailable` while nothing new can be kept */
  assertReady(): void;
  /** Lets everybody know a job that is accepted and has not ended. */
  add(job: JobRecord): Promise<void>;
  /** Hears that a job which was added runs now, or waits again. */
  note(job: JobRecord): void;
  /** Path of a new result file; the job's folder exists afterwards. */
  createFile(jobId: string, fileId: string): Promise<string>;
  /** Size in bytes and hex SHA-256 of a new result file. */
  describe(jobId: string, fileId: string): Promise<{ size: number; sha256: string }>;
  /** Removes the files of a job that has not ended. */
  discard(jobId: string): Promise<void>;
  /** Keeps a job that has ended, with its files. @returns what counts from now on: another end where it was given up */
  save(job: JobRecord): Promise<JobRecord>;
  /** Keeps how far the callback of an ended job is. */
  update(job: JobRecord): Promise<void>;
  /** Tells whether the callback of an ended job is to be sent from here now. @throws when that can't be told at the moment */
  sends(job: JobRecord): Promise<boolean>;
  /** Hears that the request which brought an ended job was answered. */
  release(jobId: string): Promise<void>;
  /** A job that was added or saved; undefined when there is none, or none that can be read. */
  read(jobId: string): Promise<JobRecord | undefined>;
  /** The content of an ended job's file. */
  content(jobId: string, output: OutputRecord): ReadResult;
  /**
   * Takes over from processes that have ended: what never ended there is removed, or has failed.
   * @param isOwn tells whether this process has made the job
   * @returns the jobs whose callback is still to be delivered
   */
  takeOver(isOwn: (jobId: string) => boolean): Promise<JobRecord[]>;
  /** Removes what is past its retention. @param isActive tells whether a job has not ended */
  sweep(isActive: (jobId: string) => boolean): Promise<void>;
}

/** The answer while database or object store are away. Nothing is wrong with the request, and it may be sent again. */
export function storageAway(cause?: unknown): AppError {
  return new AppError('pool_unavailable', { reason: 'storage_unavailable' }, { retryAfter: 5, cause });
}

/** Returns whether an error says that database or object store are away. */
export function isStorageAway(error: unknown): boolean {
  return error instanceof Unavailable || (error as { isPassing?: boolean } | null | undefined)?.isPassing === true;
}

/** The error of a database or an object store that is away in the words of the interface; any other unchanged. */
export function orStorageAway(error: unknown): unknown {
  return isStorageAway(error) ? storageAway(error) : error;
}
