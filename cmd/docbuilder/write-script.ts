import { readFile } from 'node:fs/promises';
import type { Script } from '../../src/common/generated/script.ts';
import type { FlatTask } from './domain/build.ts';
import { decodedPicture, imagesOf, type Picture, picture } from './domain/script/pictures.ts';
import { scriptIn } from './http/bodies.ts';
import { buildFlat } from './script/script.ts';
import { writePieces } from './store/flat-writer.ts';

/** Writes a script that was checked as a flat OpenDocument file, in this thread; see `FlatWriter`. */
export async function writeScript({ text, save, fetched, now, path }: FlatTask, signal: AbortSignal): Promise<void> {
  const script = { ...(scriptIn(text) as Script), save: [...save] } as Script;
  const pictures = new Map<string, Picture>();
  for (const { path: place, image } of imagesOf(script)) {
    const file = fetched.get(place);
    const found = file ? picture(await readFile(file), `${place}/url`) : decodedPicture(image.base64 ?? '', place);
    pictures.set(place, found);
  }
  await writePieces(buildFlat(script, { pictures, now: new Date(now) }), path, signal);
}
