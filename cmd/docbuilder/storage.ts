import { randomBytes } from 'node:crypto';
import type { Clock } from '../../src/common/clock.ts';
import type { Logger } from '../../src/common/log.ts';
import type { Config } from './config.ts';
import { IdIssuer } from './jobs/ids.ts';
import type { JobRecord } from './jobs/job.ts';
import type { JobStore } from './jobs/job-store.ts';
import { ALONE, type Group, type Load } from './jobs/limits.ts';
import { createRateLimiter, type RateLimiter, type Rates } from './jobs/rates.ts';
import type { DataDir } from './store/data-dir.ts';
import { createFolderJobs } from './store/folder-jobs.ts';

/** This process as a member of its instance. */
export interface Member {
  load(): Omit<Load, 'leaving'>;
  /** Takes jobs of a dead replica with a pending callback. */
  takeOver(jobs: readonly JobRecord[]): void;
}

/** The stores of jobs, results and counts of requests, and the replicas that share them. */
export interface Storage {
  ids: IdIssuer;
  store: JobStore;
  rates: RateLimiter;
  group: Group;
  /** Key of the mark of requests that one replica passes on to another. */
  passKey: Buffer;
  /** Makes this replica known to the others. */
  join(member: Member): Promise<void>;
  listensAt(port: number): void;
  /** Resolves when all others know that this one accepts nothing new. */
  announceLeave(): Promise<void>;
  close(): Promise<void>;
}

export interface StorageOptions {
  config: Config;
  dataDir: DataDir;
  rates: () => Rates;
  retentionMs: () => number;
  clock: Clock;
  log: Logger;
}

/** Opens the data folder of the only DocBuilder of its instance. */
export function openFolder({ dataDir, rates, retentionMs, clock, log }: StorageOptions): Storage {
  const ids = new IdIssuer(dataDir.idKey);
  return {
    ids,
    store: createFolderJobs(dataDir.jobs, { ids, clock, retentionMs, log }),
    rates: createRateLimiter(rates, clock),
    group: ALONE,
    passKey: randomBytes(32),
    join: async () => {},
    listensAt: () => {},
    announceLeave: async () => {},
    close: async () => {},
  };
}
