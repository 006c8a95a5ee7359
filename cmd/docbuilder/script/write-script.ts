import { readFile } from 'node:fs/promises';
import type { Script } from '../../../src/common/generated/script.ts';
import type { FlatTask } from './build.ts';
import { decodedPicture, type Picture, picture } from './check/pictures.ts';
import { type ContentBuilder, type FlatDocument, type Surroundings, toFlat } from './document.ts';
import { writePieces } from './flat-writer.ts';
import { getImages } from './parts.ts';
import { buildSheets } from './sheet.ts';
import { buildSlides } from './slides.ts';
import { buildText } from './text.ts';

const BUILDERS: Record<Script['type'], ContentBuilder> = { text: buildText, sheet: buildSheets, slides: buildSlides };

/**
 * Writes a script as a flat OpenDocument file, in this thread; see `FlatWriter`.
 * @param parsed the checked script that the task's text holds
 */
export async function writeScript(parsed: Script, { save, fetched, now, path }: Omit<FlatTask, 'text'>): Promise<void> {
  const script = { ...parsed, save: [...save] };
  const pictures = new Map<string, Picture>();
  for (const { path: place, image } of getImages(script)) {
    const file = fetched.get(place);
    const found = file ? picture(await readFile(file), `${place}/url`) : decodedPicture(image.base64 ?? '', place);
    pictures.set(place, found);
  }
  await writePieces(buildFlat(script, { pictures, now: new Date(now) }), path);
}

/** A checked script as a flat OpenDocument file. */
export function buildFlat(script: Script, surroundings: Surroundings): FlatDocument {
  return toFlat(BUILDERS[script.type](script, surroundings), script.meta, surroundings.now);
}
