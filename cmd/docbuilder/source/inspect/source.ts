import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes that can be read at any position. */
export interface ByteSource {
  readonly size: number;
  /** Returns `length` bytes from `position`, fewer only at the end. They must not be changed. */
  read(position: number, length: number): Buffer;
}

export function bufferSource(buffer: Buffer): ByteSource {
  return { size: buffer.length, read: (position, length) => buffer.subarray(position, position + length) };
}

/** Opens a file while `use` runs. Reading blocks, because sources are read in other threads. */
export async function withSource<T>(path: string, use: (source: ByteSource) => T | Promise<T>): Promise<T> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const read: ByteSource['read'] = (position, length) => {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - position)));
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
    };
    return await use({ size, read });
  } finally {
    closeSync(file);
  }
}
