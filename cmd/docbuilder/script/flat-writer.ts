import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createNewFile } from '../source/new-file.ts';
import type { FlatDocument } from './document.ts';

/** Characters that are encoded in one go. */
const CHUNK = 65_536;

/** Returns the path where the body waits while the file at `path` is written. */
export function toFolder(path: string): string {
  return `${path}.body`;
}

/**
 * Writes a file whose head is known only when its body is, which therefore waits on disk.
 * @param path where nothing is yet, as at `toFolder(path)`
 */
export async function writePieces({ body, head, tail }: FlatDocument, path: string): Promise<void> {
  const aside = toFolder(path);
  async function* whole(): AsyncGenerator<string | Buffer> {
    yield head();
    yield* createReadStream(aside);
    yield tail;
  }
  try {
    await pipeline(inChunks(body), await createNewFile(aside));
    await pipeline(whole, await createNewFile(path));
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Many small pieces of text as few large chunks of UTF-8. Each is encoded as soon as it is full: a text that was put
 * together of many others holds on to all of them, which makes the garbage collection of a large document expensive.
 * @param pieces none of them ends within a character
 */
function* inChunks(pieces: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
