import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Script } from '../../../src/common/generated/script.ts';
import { createNewFile } from '../source/new-file.ts';
import type { FlatTask } from './build.ts';
import { decodedPicture, type Picture, picture } from './check/pictures.ts';
import { type ContentBuilder, type FlatDocument, type Surroundings, toFlat } from './document.ts';
import { getImages } from './parts.ts';
import { buildSheets } from './sheet.ts';
import { buildSlides } from './slides.ts';
import { buildText } from './text.ts';

const BUILDERS: Record<Script['type'], ContentBuilder> = { text: buildText, sheet: buildSheets, slides: buildSlides };

/** Does the work of `FlatWriter` in this thread. @param parsed the checked script in the task's text */
export async function writeScript(parsed: Script, { save, fetched, now, path }: Omit<FlatTask, 'text'>): Promise<void> {
  const script = { ...parsed, save: [...save] };
  const pictures = new Map<string, Picture>();
  for (const { path: place, image } of getImages(script)) {
    const file = fetched.get(place);
    const found = file ? picture(await readFile(file), `${place}/url`) : decodedPicture(image.base64 ?? '', place);
    pictures.set(place, found);
  }
  await writeFlatFile(buildFlat(script, { pictures, now: new Date(now) }), path);
}

/** A checked script as a flat OpenDocument file. */
export function buildFlat(script: Script, surroundings: Surroundings): FlatDocument {
  return toFlat(BUILDERS[script.type](script, surroundings), script.meta, surroundings.now);
}

const CHUNK = 65_536;

/** Path of the body while the file at `path` is written. */
export function bodyPath(path: string): string {
  return `${path}.body`;
}

/** Writes a new file at `path`. Its head is complete only after its body, which therefore waits at `bodyPath(path)`. */
export async function writeFlatFile({ body, head, tail }: FlatDocument, path: string): Promise<void> {
  const aside = bodyPath(path);
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
 * Joins small pieces of text to large chunks of UTF-8. Each chunk is encoded when it is full: a joined string holds on
 * to all its pieces, which makes garbage collection slow. No piece ends within a character.
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
