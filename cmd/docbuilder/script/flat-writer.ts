import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createNewFile } from '../../../src/common/fs/new-file.ts';
import { inChunks } from './chunks.ts';
import type { FlatDocument } from './flat.ts';

/** Bytes of a body that wait for its head in memory; more wait in a file of their own. */
const MOST_HELD = 16 * 1024 * 1024;

/** Returns the path where a large body waits while the file at `path` is written. */
export function toFolder(path: string): string {
  return `${path}.body`;
}

/**
 * Writes a file whose head is known only when its body is.
 * @param path where nothing is yet, as at `toFolder(path)`
 */
export async function writePieces({ body, head, tail }: FlatDocument, path: string): Promise<void> {
  const aside = toFolder(path);
  const held: Buffer[] = [];
  let length = 0;
  let file: FileHandle | undefined;

  async function* whole(): AsyncGenerator<string | Buffer> {
    yield head();
    if (file) yield* createReadStream(aside);
    yield* held;
    yield tail;
  }

  try {
    for (const chunk of inChunks(body)) {
      held.push(chunk);
      length += chunk.length;
      if (length > MOST_HELD) {
        file ??= await open(aside, 'wx', 0o600);
        for (const full of held.splice(0)) await file.writeFile(full);
        length = 0;
      }
    }
    await pipeline(whole, await createNewFile(path));
  } finally {
    await file?.close();
    if (file) await rm(aside);
  }
}
