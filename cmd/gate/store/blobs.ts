import { createReadStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePrivateDirectory, syncDirectory } from '../../../src/common/fs/atomic.ts';
import { exists } from '../../../src/common/fs/exists.ts';
import type { Blobs } from '../domain/ports.ts';

const NAME = /^[0-9a-f]{32}$/;

/** Returns a blob's name: nothing else becomes part of a path. @throws {TypeError} for another text */
export function checkBlobName(text: string): string {
  if (!NAME.test(text)) throw new TypeError('not a name of a blob');
  return text;
}

/** Keeps blobs as files `<folder>/<first two letters>/<name>`, in the file system of the received files. */
export async function createBlobs(folder: string): Promise<Blobs & Required<Pick<Blobs, 'list'>>> {
  const shards = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
  // A directory that were made later would have to be flushed before anything in it is safe.
  await Promise.all(shards.map((shard) => makePrivateDirectory(join(folder, shard))));
  await syncDirectory(folder);

  const getPath = (blob: string): string => join(folder, checkBlobName(blob).slice(0, 2), blob);

  return {
    async put({ path: received }, blob) {
      const path = getPath(blob);
      await rename(received, path).catch(async (error: NodeJS.ErrnoException) => {
        // An earlier attempt renamed it, and failed after that.
        if (error.code !== 'ENOENT' || !(await exists(path))) throw error;
      });
      await syncDirectory(dirname(path));
    },

    read: ({ blob }, range) => createReadStream(getPath(blob), range),
    remove: (blob) => rm(getPath(blob), { force: true }),

    async list() {
      const names = await Promise.all(shards.map((shard) => readdir(join(folder, shard))));
      return names.flat().filter((name) => NAME.test(name));
    },
  };
}
