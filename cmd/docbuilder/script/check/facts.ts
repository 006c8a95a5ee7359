import { fileTooLarge } from '../../../../src/common/errors.ts';
import type { Script } from '../../../../src/common/generated/script.ts';
import { type EffectivePlan, maxFileBytes } from '../../jobs/limits.ts';
import { checkScript } from './check.ts';
import { decodedPicture, getImages } from './pictures.ts';

/** The facts of a checked script that the service needs; the rest of it stays text until it is written. */
export interface ScriptFacts {
  type: Script['type'];
  save: Script['save'];
  links: PictureLink[];
  /** Characters of its own pictures, in base64. */
  characters: number;
}

/** A picture that has to be fetched. */
interface PictureLink {
  /** JSON Pointer of the image in the script, such as `/body/3`. */
  path: string;
  url: string;
}

/** Characters of base64. */
const BYTES_PER_CHARACTER = 0.75;

/**
 * Checks a script with its own pictures, and tells what the service needs of it.
 * @throws {AppError} see `checkScript`, `decodedPicture`, `assertRoom`
 */
export function scriptFacts(value: unknown, plan: EffectivePlan): ScriptFacts {
  const script = checkScript(value, plan);
  const links: PictureLink[] = [];
  let characters = 0;
  for (const { path, image } of getImages(script)) {
    if (image.base64 === undefined) {
      links.push({ path, url: image.url ?? '' });
    } else {
      characters += decodedPicture(image.base64, path).base64.length;
      assertRoom(characters, maxFileBytes(plan));
    }
  }
  return { type: script.type, save: script.save, links, characters };
}

/** @param characters of all pictures of a script in base64 @throws {AppError} `file_too_large` */
export function assertRoom(characters: number, maxBytes: number): void {
  if (characters * BYTES_PER_CHARACTER > maxBytes) throw fileTooLarge(maxBytes, { subject: 'pictures' });
}
