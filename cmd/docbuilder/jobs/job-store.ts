import type { Readable } from 'node:stream';
import type { ByteRange } from '../../../src/common/byte-range.ts';
import { AppError } from '../../../src/common/errors.ts';
import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';
import type { JobRecord, OutputRecord } from './job.ts';

/** Reads a result file, or a range of it. */
export type ReadResult = (range?: ByteRange) => Readable;

/** Stores jobs and their files. */
export interface JobStore {
  /** @throws {AppError} `pool_unavailable` while nothing new can be stored */
  assertReady(): void;
  /** Adds an accepted job that has not ended. @param onLost is called when another replica has given it up */
  add(job: JobRecord, onLost: () => void): Promise<void>;
  /** Notes that an added job runs now, or waits again. */
  noteProgress(job: JobRecord): void;
  /** Returns the path of a new result file, and makes the job's folder. */
  createFile(jobId: string, fileId: string): Promise<string>;
  /** Returns bytes and hex SHA-256 of a new result file. */
  describe(jobId: string, fileId: string): Promise<{ size: number; sha256: string }>;
  /** Removes the files of a job that has not ended. */
  discard(jobId: string): Promise<void>;
  /** Stores an ended job with its files. @returns the stored job: another end where another replica had given it up */
  save(job: JobRecord): Promise<JobRecord>;
  /** Stores the state of an ended job's callback. */
  update(job: JobRecord): Promise<void>;
  /** Returns whether this process sends the callback of an ended job. @throws when the store is away */
  ownsCallback(job: JobRecord): Promise<boolean>;
  /** Notes that the request for an ended job was answered. */
  release(jobId: string): Promise<void>;
  /** Returns an added or saved job; undefined when there is none, or none that can be read. */
  read(jobId: string): Promise<JobRecord | undefined>;
  /** Returns the content of an ended job's file. */
  content(jobId: string, output: OutputRecord): ReadResult;
  /**
   * Takes over from ended processes: removes jobs that had not ended there, or fails them.
   * @param isOwn returns whether this process has made the job
   * @returns the jobs with a pending callback
   */
  takeOver(isOwn: (jobId: string) => boolean): Promise<JobRecord[]>;
  /** Removes expired jobs. @param isActive returns whether a job has not ended */
  sweep(isActive: (jobId: string) => boolean): Promise<void>;
}

/** Returns the answer while database or object store are away; the same request may be sent again. */
export function storageUnavailable(cause?: unknown): AppError {
  return new AppError('pool_unavailable', { reason: 'storage_unavailable' }, { retryAfter: 5, cause });
}

/** Returns whether an error says that database or object store are away. */
export function isStorageUnavailable(error: unknown): boolean {
  return error instanceof Unavailable || (error as { isPassing?: boolean } | null | undefined)?.isPassing === true;
}

/** Converts the error of a full disk, or of a database or object store that is away; returns others unchanged. */
export function toStorageError(error: unknown): unknown {
  return isStorageUnavailable(error) ? storageUnavailable(error) : orDiskFull(error);
}
