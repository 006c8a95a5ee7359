import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes that can be read anywhere. */
export interface ByteSource {
  readonly size: number;
  /** Returns up to `length` bytes from `position`; fewer only where the source ends. They must not be written to. */
  read(position: number, length: number): Buffer;
}

export function bufferSource(buffer: Buffer): ByteSource {
  return { size: buffer.length, read: (position, length) => buffer.subarray(position, position + length) };
}

/** Opens a file for the time of `use`. Reading blocks: sources are read in threads of their own. */
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
