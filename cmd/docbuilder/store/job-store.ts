import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, statSync } from 'node:fs';
import { opendir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeAtomic } from '../../../src/common/fs/atomic.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { JobStore } from '../jobs/job-registry.ts';

const RECORD = 'job.json';

/**
 * Jobs as folders: `<jobs>/<job id>/job.json` and the result files beside it, named by their ids. A folder without
 * job.json belongs to a job that never ended. Records outlive the process, not a power cut: a result can be made again.
 */
export function createJobStore(directory: string, log: Logger): JobStore {
  const folder = (jobId: string): string => join(directory, jobId);
  const filePath = (jobId: string, fileId: string): string => join(folder(jobId), fileId);

  const remove = (jobId: string): Promise<void> => rm(folder(jobId), { recursive: true, force: true });

  return {
    filePath,
    remove,
    ids: async function* ids() {
      for await (const { name } of await opendir(directory)) yield name;
    },
    read: async (jobId) => {
      try {
        return JSON.parse(await readFile(join(folder(jobId), RECORD), 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log.warn({ err: error, job: jobId }, 'unreadable job');
        return undefined;
      }
    },
    save: async (job) => {
      mkdirSync(folder(job.id), { recursive: true, mode: 0o700 });
      await writeAtomic(join(folder(job.id), RECORD), JSON.stringify(job));
    },
    createFile: async (jobId, fileId) => {
      mkdirSync(folder(jobId), { recursive: true, mode: 0o700 });
      return filePath(jobId, fileId);
    },
    describe: async (jobId, fileId) => {
      const path = filePath(jobId, fileId);
      const { size } = statSync(path);
      const hash = createHash('sha256');
      await pipeline(createReadStream(path), hash);
      return { size, sha256: hash.digest('hex') };
    },
  };
}
