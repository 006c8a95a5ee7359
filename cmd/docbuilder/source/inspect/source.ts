import { type FileHandle, open } from 'node:fs/promises';

/** Bytes that can be read anywhere. */
export interface ByteSource {
  readonly size: number;
  /**
   * Up to `length` bytes from `position`; fewer only where the source ends. What is returned is not copied: it must not
   * be written to.
   */
  read(position: number, length: number): Promise<Buffer>;
}

/** A file up to this many bytes is read at once: inspecting it then costs no further system call. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** Bytes read ahead of larger files, for the many small records of a directory. */
const WINDOW_BYTES = 16 * 1024;

export function bufferSource(buffer: Buffer): ByteSource {
  return {
    size: buffer.length,
    read: async (position, length) => buffer.subarray(position, position + length),
  };
}

/** Opens a file for the time of `use`. */
export async function withSource<T>(path: string, use: (source: ByteSource) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const source = size <= WHOLE_BYTES ? bufferSource(await readFrom(file, 0, size)) : fileSource(file, size);
    return await use(source);
  } finally {
    await file.close();
  }
}

function fileSource(file: FileHandle, size: number): ByteSource {
  let window: Buffer = Buffer.alloc(0);
  let start = 0;
  return {
    size,
    async read(position, length) {
      const wanted = Math.max(0, Math.min(length, size - position));
      if (wanted > WINDOW_BYTES) return readFrom(file, position, wanted);
      if (position < start || position + wanted > start + window.length) {
        window = await readFrom(file, position, Math.min(WINDOW_BYTES, size - position));
        start = position;
      }
      return window.subarray(position - start, position - start + wanted);
    },
  };
}

async function readFrom(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await file.read(buffer, done, buffer.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
