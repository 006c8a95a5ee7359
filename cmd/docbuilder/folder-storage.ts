import { randomBytes } from 'node:crypto';
import { IdIssuer } from '../../src/common/ids.ts';
import { ALONE } from './jobs/group.ts';
import { createRateLimiter } from './jobs/rates.ts';
import type { Storage, StorageOptions } from './storage.ts';
import { createFolderJobs } from './store/folder-jobs.ts';

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
