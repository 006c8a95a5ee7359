import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory } from '../../../src/common/fs/atomic.ts';
import { keptKey } from '../../../src/common/fs/key-file.ts';
import { takeOwnership } from '../../../src/common/fs/ownership.ts';

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
}

/**
 * Opens the data folder for this process alone.
 * @throws {Error} when another living process uses it
 */
export async function openDataDir(path: string): Promise<DataDir> {
  const directory = { temporary: join(path, 'tmp'), workers: join(path, 'workers'), jobs: join(path, 'jobs') };
  await makePrivateDirectory(path);
  await takeOwnership(path);
  await emptied(directory.temporary);
  await makePrivateDirectory(directory.workers);
  await makePrivateDirectory(directory.jobs);
  return { ...directory, idKey: await keptKey(join(path, 'ids.key')) };
}

async function emptied(path: string): Promise<void> {
  await makePrivateDirectory(path);
  for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true });
}
