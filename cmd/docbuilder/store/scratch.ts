import { randomBytes } from 'node:crypto';
import { readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inChunks } from '../../../src/common/chunks.ts';
import { fileTooLarge } from '../../../src/common/errors.ts';
import { createNewFile } from '../../../src/common/fs/new-file.ts';
import type { Scratch } from '../source/sources.ts';

/** Temporary files in one folder, and uploads that arrive in it. */
export function createScratch(directory: string): Scratch & {
  receive(stream: Readable, maxBytes: number, signal: AbortSignal): Promise<string>;
} {
  const newPath = (): string => join(directory, randomBytes(12).toString('hex'));
  const remove = (path: string): Promise<void> =>
    unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  return {
    newPath,
    read: (path) => readFile(path),
    write: async (path, pieces, maxBytes, signal) =>
      pipeline(Readable.from(inChunks(pieces)), limit(maxBytes, { subject: 'output' }), await createNewFile(path), {
        signal,
      }),
    size: async (path) => (await stat(path)).size,
    remove,
    receive: async (stream, maxBytes, signal) => {
      const path = newPath();
      try {
        await pipeline(stream, limit(maxBytes), await createNewFile(path), { signal });
        return path;
      } catch (error) {
        await remove(path);
        throw error;
      }
    },
  };
}

/** Passes at most `maxBytes` on. */
function limit(
  maxBytes: number,
  detail: { subject?: string } = {},
): (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer> {
  return async function* limited(chunks) {
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes) throw fileTooLarge(maxBytes, detail);
      yield chunk;
    }
  };
}
