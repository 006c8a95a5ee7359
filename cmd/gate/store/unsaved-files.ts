import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory, syncDirectory } from '../../../src/common/fs/atomic.ts';
import type { UnsavedFile, UnsavedFiles } from '../domain/ports.ts';
import { copyFlushed } from './flushed-copy.ts';
import { createLateRoom } from './late-hash.ts';

const NAME = /^(doc_[0-9a-f]+)_(\d+)_(\d+)_([0-9a-f]{64})$/;

/**
 * Edits that the editor could not store, as files `<folder>/<document>_<time>_<process>_<SHA-256>`. A file has that name
 * only once it is complete and flushed; what a crash left half written is removed.
 */
export async function createUnsavedFiles(folder: string): Promise<UnsavedFiles> {
  await makePrivateDirectory(folder);
  for (const name of await readdir(folder)) if (!NAME.test(name)) await rm(join(folder, name), { recursive: true });
  const room = createLateRoom();
  const pathOf = ({ docId, at, pid, sha256 }: UnsavedFile): string => join(folder, `${docId}_${at}_${pid}_${sha256}`);

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

    async write(origin, content) {
      const temporary = join(folder, `${randomBytes(12).toString('hex')}.tmp`);
      try {
        const file = await open(temporary, 'wx', 0o600);
        const written = await copyFlushed(content, file, { maxBytes: Number.POSITIVE_INFINITY, room }).finally(() =>
          file.close(),
        );
        const unsaved = { ...origin, ...written };
        await rename(temporary, pathOf(unsaved));
        await syncDirectory(folder);
        return unsaved;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },

    read: (file) => createReadStream(pathOf(file)),
    remove: (file) => rm(pathOf(file), { force: true }),
  };
}
