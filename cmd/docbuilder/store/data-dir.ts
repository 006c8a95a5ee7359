import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory, writeAtomic } from '../../../src/common/fs/atomic.ts';
import { type ProcessIdentity, processIdentity } from '../../../src/common/fs/process-identity.ts';

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
  return { ...directory, idKey: await idKey(path) };
}

/** Writes down which process owns the folder. A process that is gone, or whose id now is another's, owns nothing. */
async function takeOwnership(path: string): Promise<void> {
  const file = join(path, 'owner.json');
  const owner = (await readFile(file, 'utf8').then(JSON.parse, () => undefined)) as ProcessIdentity | undefined;
  const own = processIdentity(process.pid);
  const living = owner && processIdentity(owner.pid);
  if (living && owner.pid !== process.pid && living.startTime === owner.startTime) {
    throw new Error(`${path} is in use by process ${owner.pid}: give each service a data folder of its own`);
  }
  await writeAtomic(file, JSON.stringify(own));
}

async function emptied(path: string): Promise<void> {
  await makePrivateDirectory(path);
  for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true });
}

async function idKey(path: string): Promise<Buffer> {
  const file = join(path, 'ids.key');
  const existing = await readFile(file).catch(() => undefined);
  if (existing && existing.length >= 32) return existing;
  const key = randomBytes(32);
  await writeAtomic(file, key, { durable: true });
  return key;
}
