import type { Script } from '../../../src/common/generated/script.ts';
import type { FlatBuilder } from './flat.ts';
import { buildSheets } from './sheet.ts';
import { buildSlides } from './slides.ts';
import { buildText } from './text.ts';

const BUILDERS: Record<Script['type'], FlatBuilder> = { text: buildText, sheet: buildSheets, slides: buildSlides };

/** A checked script as a flat OpenDocument file (design: one file per document type). */
export const buildFlat: FlatBuilder = (script, surroundings) => BUILDERS[script.type](script, surroundings);
