import { createReadStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory, syncDirectory } from '../../../src/common/fs/atomic.ts';
import type { UnsavedFile, UnsavedFiles } from '../domain/ports.ts';

const NAME = /^(doc_[0-9a-f]+)_(\d+)_(\d+)_([0-9a-f]{64})$/;

/** Keeps edits that the editor could not store as files `<folder>/<document>_<time>_<process>_<SHA-256>`. */
export async function createUnsavedFiles(folder: string): Promise<UnsavedFiles> {
  await makePrivateDirectory(folder);
  const getPath = ({ docId, at, pid, sha256 }: UnsavedFile): string => join(folder, `${docId}_${at}_${pid}_${sha256}`);

  return {
    async list() {
      const found = (await readdir(folder)).map((name) => NAME.exec(name)).filter((match) => match !== null);
      return Promise.all(
        found.map(async ([name, docId = '', at, pid, sha256 = '']) => {
          const { size } = await stat(join(folder, name));
          return { docId, at: Number(at), pid: Number(pid), sha256, size };
        }),
      );
    },

    async put(origin, { path, sha256, size }) {
      const unsaved = { ...origin, sha256, size };
      await rename(path, getPath(unsaved));
      await syncDirectory(folder);
      return unsaved;
    },

    read: (file) => createReadStream(getPath(file)),
    remove: (file) => rm(getPath(file), { force: true }),
  };
}
