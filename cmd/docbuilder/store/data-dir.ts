import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory } from '../../../src/common/fs/atomic.ts';
import { lockFolder } from '../../../src/common/fs/folder-lock.ts';
import { keptKey } from '../../../src/common/fs/key-file.ts';
import type { Logger } from '../../../src/common/log.ts';

/** The folders of one process; results outlive it, temporary files do not. */
export interface DataDir {
  /** Files that are removed with their request. */
  temporary: string;
  /** Workers' own folders. */
  workers: string;
  /** One folder a job. */
  jobs: string;
  /** The key of job ids, the same across restarts. */
  idKey: Buffer;
  unlock(): void;
}

/** Opens the data folder for this process alone. Waits for its lock: a deleted pod still finishes its jobs here. */
export async function openDataDir(path: string, log: Logger): Promise<DataDir> {
  const directory = { temporary: join(path, 'tmp'), workers: join(path, 'workers'), jobs: join(path, 'jobs') };
  await makePrivateDirectory(path);
  const unlock = await lockFolder(path, log);
  for (const folder of Object.values(directory)) await makePrivateDirectory(folder);
  // The folder itself stays: it may be a mount.
  for (const name of await readdir(directory.temporary)) {
    await rm(join(directory.temporary, name), { recursive: true, force: true });
  }
  return { ...directory, idKey: await keptKey(join(path, 'ids.key')), unlock };
}

/** Creates the temporary files of one request and its job. `remove` removes all that exist at the returned paths. */
export function createTemporaryFiles(directory: string): { newPath(): string; remove(): Promise<void> } {
  const paths: string[] = [];
  return {
    newPath() {
      const path = join(directory, randomBytes(12).toString('hex'));
      paths.push(path);
      return path;
    },
    remove: async () => void (await Promise.all(paths.map((path) => rm(path, { force: true })))),
  };
}
