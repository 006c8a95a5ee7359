import { readdirSync, readFileSync } from 'node:fs';
import type { Script } from '../../../src/common/generated/script.ts';

const FOLDER = new URL('../scripts/', import.meta.url);

/** The scripts of test/property/scripts, by their names. Together they say everything that the language can say. */
export const SCRIPTS: ReadonlyMap<string, Script> = new Map(
  readdirSync(FOLDER)
    .sort()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))]),
);

/** Every format that a script of this type can be saved in. */
export const FORMATS = {
  text: ['docx', 'odt', 'pdf'],
  sheet: ['xlsx', 'ods', 'pdf'],
  slides: ['pptx', 'odp', 'pdf'],
} as const;
