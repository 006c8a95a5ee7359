import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fileTooLarge } from '../../../src/common/errors.ts';
import { createLateHash, type LateRoom } from './late-hash.ts';

/** What goes to the disk at once; twice as much is in memory at most. A client may send its bytes one by one. */
const BATCH_BYTES = 524_288;
const BATCH_CHUNKS = 256;
/** The disk is sent to work on what it has whenever it is this much, while more arrives: the end is short then. */
const FLUSH_BYTES = 2_097_152;

/**
 * Copies `content` into a file. When it resolves, all of it is flushed. Reading, writing, flushing and hashing go on at
 * the same time. Leaves `content` as it is when it fails: an HTTP request that is too large still gets its answer.
 * @param room for bytes that wait to be hashed, shared by all copies
 * @throws {AppError} `file_too_large`
 */
export async function copyFlushed(
  content: Readable,
  file: FileHandle,
  { maxBytes, room }: { maxBytes: number; room: LateRoom },
): Promise<{ sha256: string; size: number }> {
  const hash = createLateHash(room);
  const writer = writeBehind(file);
  let size = 0;
  try {
    for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw fileTooLarge(maxBytes);
      hash.add(chunk);
      await writer.add(chunk);
    }
    const [sha256] = await Promise.all([hash.digest(), writer.end()]);
    return { sha256, size };
  } finally {
    hash.drop();
  }
}

/** Gathers what comes in while the disk writes. */
function writeBehind(file: FileHandle) {
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let unflushed = 0;
  let writing: Promise<void> = Promise.resolve();
  /** The first failure is kept: the kernel reports it only once, and a later flush of the same file may succeed. */
  let flushing: Promise<void> = Promise.resolve();
  let flushed = true;

  async function write(): Promise<void> {
    await writing;
    writing = later(writeAll(file, gathered, gatheredBytes));
    unflushed += gatheredBytes;
    gathered = [];
    gatheredBytes = 0;
  }

  /** One at a time. */
  function flush(): void {
    unflushed = 0;
    flushed = false;
    flushing = later(
      writing
        .then(() => file.datasync())
        .then(() => {
          flushed = true;
        }),
    );
  }

  return {
    async add(chunk: Uint8Array): Promise<void> {
      gathered.push(chunk);
      gatheredBytes += chunk.length;
      if (gatheredBytes < BATCH_BYTES && gathered.length < BATCH_CHUNKS) return;
      await write();
      if (unflushed >= FLUSH_BYTES && flushed) flush();
    },
    /** Resolves when everything is flushed. */
    async end(): Promise<void> {
      await write();
      await writing;
      await Promise.all([flushing, file.sync()]);
    },
  };
}

/** A failure of `work` is reported to whoever awaits it, perhaps only in a later turn of the event loop. */
function later<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {});
  return work;
}

/** A disk that is nearly full takes a part, and says why only when it is asked again. */
async function writeAll(file: FileHandle, chunks: Uint8Array[], bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}
