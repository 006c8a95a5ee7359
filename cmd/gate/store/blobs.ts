import { createHash, randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError } from '../../../src/common/errors.ts';
import { makePrivateDirectory, syncDirectory } from '../../../src/common/fs/atomic.ts';
import type { Blobs } from '../domain/ports.ts';

const SHA256 = /^[0-9a-f]{64}$/;
/** What goes to the disk at once; twice as much is in memory at most. A client may send its bytes one by one. */
const BATCH_BYTES = 524_288;
const BATCH_CHUNKS = 256;

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

  function shelfOf(sha256: string): string {
    if (!SHA256.test(sha256)) throw new TypeError('not a SHA-256');
    return join(folder, sha256.slice(0, 2));
  }

  function pathOf(sha256: string): string {
    return join(shelfOf(sha256), sha256);
  }

  return {
    async write(content, maxBytes) {
      const temporary = join(incoming, randomBytes(12).toString('hex'));
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const file = await open(temporary, flags, 0o600);
      try {
        let written: { sha256: string; size: number };
        let known: boolean;
        try {
          written = await copy(content, file, maxBytes);
          known = await exists(pathOf(written.sha256));
          if (!known) await file.sync();
        } finally {
          await file.close();
        }
        if (known) await rm(temporary);
        else await rename(temporary, pathOf(written.sha256));
        // Also of a known one: whoever brought it may not have come so far.
        await syncDirectory(shelfOf(written.sha256));
        return written;
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        throw error;
      }
    },

    read: (sha256, range) => createReadStream(pathOf(sha256), range),

    async head(sha256, bytes) {
      const file = await open(pathOf(sha256), constants.O_RDONLY);
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

/**
 * Copies and hashes; what comes in meanwhile is gathered, so that reading and hashing go on while the disk writes. Leaves
 * `content` as it is when it fails: an HTTP request that is too large still gets its answer.
 */
async function copy(content: Readable, file: FileHandle, maxBytes: number): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    await writing;
    writing = writeAll(file, gathered, gatheredBytes);
    // Told by the next `await writing`, which may come after the event loop has turned.
    writing.catch(() => {});
    gathered = [];
    gatheredBytes = 0;
  }

  for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new AppError('file_too_large', { limit_mb: maxBytes / 1_048_576 });
    hash.update(chunk);
    gathered.push(chunk);
    gatheredBytes += chunk.length;
    if (gatheredBytes >= BATCH_BYTES || gathered.length >= BATCH_CHUNKS) await flush();
  }
  await flush();
  await writing;
  return { sha256: hash.digest('hex'), size };
}

/** A disk that is nearly full takes a part, and says why only when it is asked again. */
async function writeAll(file: FileHandle, chunks: Uint8Array[], bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
