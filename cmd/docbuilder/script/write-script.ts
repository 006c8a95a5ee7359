import { readFile } from 'node:fs/promises';
import type { Script } from '../../../src/common/generated/script.ts';
import type { FlatTask } from './build.ts';
import { decodedPicture, getImages, type Picture, picture } from './check/pictures.ts';
import type { FlatBuilder } from './flat.ts';
import { writePieces } from './flat-writer.ts';
import { buildSheets } from './sheet.ts';
import { buildSlides } from './slides.ts';
import { buildText } from './text.ts';

/**
 * Writes a script as a flat OpenDocument file, in this thread; see `FlatWriter`.
 * @param parsed the checked script that the task's text holds
 */
export async function writeScript(parsed: Script, { save, fetched, now, path }: Omit<FlatTask, 'text'>): Promise<void> {
  const script = { ...parsed, save: [...save] } as Script;
  const pictures = new Map<string, Picture>();
  for (const { path: place, image } of getImages(script)) {
    const file = fetched.get(place);
    const found = file ? picture(await readFile(file), `${place}/url`) : decodedPicture(image.base64 ?? '', place);
    pictures.set(place, found);
  }
  await writePieces(buildFlat(script, { pictures, now: new Date(now) }), path);
}

const BUILDERS: Record<Script['type'], FlatBuilder> = { text: buildText, sheet: buildSheets, slides: buildSlides };

/** A checked script as a flat OpenDocument file (design: one file per document type). */
export const buildFlat: FlatBuilder = (script, surroundings) => BUILDERS[script.type](script, surroundings);
