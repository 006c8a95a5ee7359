import { createReadStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory, syncDirectory } from '../../../src/common/fs/atomic.ts';
import { exists } from '../../../src/common/fs/exists.ts';
import type { Blobs } from '../domain/ports.ts';
import { isSha256 } from './sha256.ts';

/**
 * Keeps blobs as files `<folder>/<first two letters>/<SHA-256>`. Received files are renamed, so they have to be in the
 * same file system.
 */
export async function createBlobs(folder: string): Promise<Blobs> {
  const shards = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
  // A directory that were made later would have to be flushed before anything in it is safe.
  for (const shard of shards) await makePrivateDirectory(join(folder, shard));
  await syncDirectory(folder);

  function getShard(sha256: string): string {
    if (!isSha256(sha256)) throw new TypeError('not a SHA-256');
    return join(folder, sha256.slice(0, 2));
  }

  function getPath(sha256: string): string {
    return join(getShard(sha256), sha256);
  }

  return {
    async put({ path: received, sha256 }) {
      const path = getPath(sha256);
      await rename(received, path).catch(async (error: NodeJS.ErrnoException) => {
        // An earlier attempt renamed it, and failed after that.
        if (error.code !== 'ENOENT' || !(await exists(path))) throw error;
      });
      await syncDirectory(getShard(sha256));
    },

    read: (sha256, range) => createReadStream(getPath(sha256), range),
    remove: (sha256) => rm(getPath(sha256), { force: true }),

    async list() {
      const names = await Promise.all(shards.map((shard) => readdir(join(folder, shard))));
      return names.flat().filter(isSha256);
    },
  };
}
