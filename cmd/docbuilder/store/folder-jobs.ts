import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, statSync } from 'node:fs';
import { opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../src/common/clock.ts';
import { writeAtomic } from '../../../src/common/fs/atomic.ts';
import { readIfThere } from '../../../src/common/fs/exists.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { IdIssuer } from '../jobs/ids.ts';
import { isExpired, type JobRecord } from '../jobs/job.ts';
import type { JobStore } from '../jobs/job-store.ts';

const RECORD = 'job.json';

interface Dependencies {
  ids: IdIssuer;
  clock: Clock;
  /** The plan's result_ttl_minutes in milliseconds. */
  retentionMs: () => number;
  log: Logger;
}

/**
 * Stores jobs as folders: `<jobs>/<job id>/job.json` and the result files, named by their ids. A folder without job.json
 * is of a job that has not ended. Records outlive the process, not a power cut: a result can be made again.
 */
export function createFolderJobs(directory: string, { ids, clock, retentionMs, log }: Dependencies): JobStore {
  const files = createJobFiles(directory);

  /** Returns undefined without a record, or with one that a power cut left. @throws when it cannot be read */
  async function read(jobId: string): Promise<JobRecord | undefined> {
    const text = await readIfThere(files.path(jobId, RECORD));
    try {
      return text && JSON.parse(text.toString());
    } catch (error) {
      log.warn({ err: error, job: jobId }, 'unreadable job');
      return undefined;
    }
  }

  async function save(job: JobRecord): Promise<JobRecord> {
    await writeAtomic(await files.create(job.id, RECORD), JSON.stringify(job));
    return job;
  }

  return {
    // A full disk shows when something is written.
    assertReady: () => {},
    // Contract: a restart loses queued and running jobs.
    add: async () => {},
    noteProgress: () => {},
    createFile: files.create,
    describe: files.describe,
    discard: files.remove,
    save,
    update: async (job) => void (await save(job)),
    ownsCallback: async () => true,
    release: async () => {},
    read,
    content: (jobId, { fileId }) => files.read(jobId, fileId),
    async takeOver(isOwn) {
      const pending: JobRecord[] = [];
      await removeExpired(isOwn, (job) => {
        if (job.callback?.state === 'pending') pending.push(job);
      });
      return pending;
    },
    async sweep(isActive) {
      const now = clock();
      // A job expires no sooner than its retention after its request: younger ones stay unread.
      const isYoung = (id: string): boolean => now - ids.getTime(id) < retentionMs();
      await removeExpired((id) => isActive(id) || isYoung(id));
    },
  };

  /** Removes expired jobs and folders without a record, but for those that `isLeft` names. */
  async function removeExpired(isLeft: (jobId: string) => boolean, onKept?: (job: JobRecord) => void): Promise<void> {
    for await (const { name: id } of await opendir(directory)) {
      if (isLeft(id)) continue;
      try {
        const job = await read(id);
        if (job && !isExpired(job, clock())) onKept?.(job);
        else await files.remove(id);
      } catch (error) {
        // Its results may be there to stay.
        log.warn({ err: error, job: id }, 'a job could be neither read nor removed');
      }
    }
  }
}

/** Files in one folder a job. */
export function createJobFiles(directory: string) {
  const path = (jobId: string, name: string): string => join(directory, jobId, name);
  return {
    path,
    remove: (jobId: string): Promise<void> => rm(join(directory, jobId), { recursive: true, force: true }),
    /** Returns the path of a new file, and makes the job's folder. */
    async create(jobId: string, name: string): Promise<string> {
      mkdirSync(join(directory, jobId), { recursive: true, mode: 0o700 });
      return path(jobId, name);
    },
    async describe(jobId: string, name: string): Promise<{ size: number; sha256: string }> {
      const { size } = statSync(path(jobId, name));
      const hash = createHash('sha256');
      await pipeline(createReadStream(path(jobId, name)), hash);
      return { size, sha256: hash.digest('hex') };
    },
    read:
      (jobId: string, name: string) =>
      (range: { start?: number; end?: number } = {}) =>
        createReadStream(path(jobId, name), range),
  };
}
