import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory, syncDirectory } from '../../../src/common/fs/atomic.ts';
import { exists } from '../../../src/common/fs/exists.ts';
import type { Blobs } from '../domain/ports.ts';
import { copyFlushed } from './flushed-copy.ts';
import { createLateRoom } from './late-hash.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Blobs as files `<folder>/<first two letters>/<SHA-256>`. A file has that name only once it is complete and flushed;
 * what arrives is written beside it, in the same file system, and what a crash left there is removed here.
 */
export async function createBlobs(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  await makePrivateDirectory(incoming);
  // All of them now: a folder made on the way would have to be flushed too before anything in it is safe.
  const shelves = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
  for (const shelf of shelves) await makePrivateDirectory(join(folder, shelf));
  await syncDirectory(folder);
  const room = createLateRoom();

  function shelfOf(sha256: string): string {
    if (!SHA256.test(sha256)) throw new TypeError('not a SHA-256');
    return join(folder, sha256.slice(0, 2));
  }

  function pathOf(sha256: string): string {
    return join(shelfOf(sha256), sha256);
  }

  return {
    async write(content, maxBytes, claim) {
      const temporary = join(incoming, randomBytes(12).toString('hex'));
      const file = await open(temporary, 'wx', 0o600);
      let closing: Promise<void> | undefined;
      try {
        const written = await copyFlushed(content, file, { maxBytes, room }).finally(() => {
          closing = file.close();
          // Told by the `await` below, if it comes so far.
          closing.catch(() => {});
        });
        await claim?.(written.sha256);
        const path = pathOf(written.sha256);
        const putting = (await exists(path)) ? rm(temporary) : rename(temporary, path);
        await Promise.all([putting, closing]);
        // Also of a known one: whoever brought it may not have come so far.
        await syncDirectory(shelfOf(written.sha256));
        return written;
      } catch (error) {
        await closing?.catch(() => {});
        await rm(temporary, { force: true }).catch(() => {});
        throw error;
      }
    },

    read: (sha256, range) => createReadStream(pathOf(sha256), range),

    async head(sha256, bytes) {
      const file = await open(pathOf(sha256));
      try {
        const buffer = Buffer.alloc(bytes);
        let length = 0;
        for (;;) {
          const { bytesRead } = await file.read(buffer, length, bytes - length, length);
          length += bytesRead;
          if (bytesRead === 0 || length === bytes) return buffer.subarray(0, length);
        }
      } finally {
        await file.close();
      }
    },

    remove: (sha256) => rm(pathOf(sha256), { force: true }),

    async list() {
      const names = await Promise.all(shelves.map((shelf) => readdir(join(folder, shelf))));
      return names.flat().filter((name) => SHA256.test(name));
    },
  };
}
