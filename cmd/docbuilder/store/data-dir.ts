import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory } from '../../../src/common/fs/atomic.ts';
import { lockFolder } from '../../../src/common/fs/folder-lock.ts';
import { keptKey } from '../../../src/common/fs/key-file.ts';
import type { Logger } from '../../../src/common/log.ts';

/** The folders of one service: results outlive it, temporary files do not. */
export interface DataDir {
  /** Uploads, downloads and whatever else ends with its request. */
  temporary: string;
  /** Workers' own folders. */
  workers: string;
  /** One folder a job. */
  jobs: string;
  /** The key that ids are issued with, the same across restarts. */
  idKey: Buffer;
  /** Lets another process have the folder. */
  unlock(): void;
}

/**
 * Opens the data folder for this process alone, as soon as no other uses it: a pod that was deleted still finishes its jobs
 * here while the one in its place starts.
 * @param log says what is waited for
 */
export async function openDataDir(path: string, log: Logger): Promise<DataDir> {
  const directory = { temporary: join(path, 'tmp'), workers: join(path, 'workers'), jobs: join(path, 'jobs') };
  await makePrivateDirectory(path);
  const unlock = await lockFolder(path, log);
  await emptied(directory.temporary);
  await makePrivateDirectory(directory.workers);
  await makePrivateDirectory(directory.jobs);
  return { ...directory, idKey: await keptKey(join(path, 'ids.key')), unlock };
}

async function emptied(path: string): Promise<void> {
  await makePrivateDirectory(path);
  for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true });
}
