import type { Inline, Run } from '../../../../src/common/generated/script.ts';
import type { Size } from '../frame.ts';
import { toRuns } from '../inline.ts';
import { MM_PER_POINT } from '../xml.ts';

export interface Measured {
  text: Inline;
  bold?: boolean | undefined;
  /** Its size as a multiple of the size sought. */
  scale?: number;
  /** Left indent as a multiple of the size sought, and space above as a multiple of its own size. */
  indentEms?: number;
  spaceBeforeEms?: number;
}

/** A paragraph with the widths of its words, which serve for all sizes. */
export interface Worded extends Measured {
  runs: readonly (Omit<Run, 'text'> & { words: readonly Word[] })[];
}

/** No more letters of 8 points fit into the largest box, of a square metre. */
const MAX_CHARACTERS = 500_000;
const SMALLEST = 8;
const SIZES = [44, 40, 36, 32, 28, 26, 24, 22, 20, 18, 16, 14, 13, 12, 11, 10, 9, SMALLEST];

/**
 * The preferred size, or the largest one below it in which the text fits into its box by an estimate, or the smallest.
 * "Shrink on overflow" is lost or drawn differently by some formats and readers.
 */
export function fittingSize(
  text: readonly Measured[],
  box: Size,
  preferred: number,
  font: string,
  smallest = SMALLEST,
) {
  const measure = () => {
    const words = worded(text);
    return (size: number) => measureHeight(words, box.width, size, font, box.height) <= box.height;
  };
  return firstFitting(text, preferred, measure, smallest);
}

type Fits = (size: number) => boolean;

/** The first size, from the preferred one down, that fits, or the smallest. @param measure is not called for too long a text */
export function firstFitting(text: readonly Measured[], preferred: number, measure: () => Fits, smallest = SMALLEST) {
  const sizes = [preferred, ...SIZES.filter((size) => size < preferred && size >= smallest)];
  let characters = 0;
  for (const part of text) for (const run of toRuns(part.text)) characters += run.text.length;
  return (characters > MAX_CHARACTERS ? undefined : sizes.find(measure())) ?? sizes.at(-1) ?? preferred;
}

export function worded<T extends Measured>(text: readonly T[]): (T & Worded)[] {
  return text.map((part) => ({
    ...part,
    runs: toRuns(part.text).map(({ text, ...look }) => ({ ...look, words: splitWords(text) })),
  }));
}

/** Height of the text at this font size, in millimetres. Counting ends above `limit`. */
export function measureHeight(text: readonly Worded[], width: number, size: number, font: string, limit: number) {
  let height = 0;
  for (const [index, part] of text.entries()) {
    const own = size * (part.scale ?? 1);
    const { lines, lineHeight } = wrap(part, width - (part.indentEms ?? 0) * size * MM_PER_POINT, own, font, limit);
    const above = index === 0 ? 0 : (part.spaceBeforeEms ?? 0) * own;
    height += (lines * lineHeight + above) * MM_PER_POINT;
    if (height > limit) break;
  }
  return height;
}

/**
 * The number of lines of a paragraph, and the height of the highest one in points. Lines break at blanks, long words
 * anywhere. Counting ends above `limit` millimetres.
 */
function wrap({ runs, bold = false }: Worded, width: number, size: number, font: string, limit: number) {
  const room = Math.max(width, 1) / MM_PER_POINT;
  let lines = 1;
  let used = 0;
  let lineHeight = 0;
  for (const run of runs) {
    const points = run.size ?? size;
    lineHeight = Math.max(lineHeight, points * lineFactor(run.font ?? font));
    const isEven = EVEN.test(run.font ?? font);
    const factor = points * (isEven ? 1 : widthFactor(run.font ?? font) * ((run.bold ?? bold) ? 1.06 : 1));
    const blank = (isEven ? EVEN_EMS : 0.23) * factor;
    for (const word of run.words) {
      if (lines * lineHeight * MM_PER_POINT > limit) return { lines, lineHeight };
      const wide = (isEven ? word.evenEms : word.ems) * factor;
      if (word.isBreak || (used > 0 && used + wide > room)) {
        lines += 1;
        used = 0;
      }
      lines += Math.max(0, Math.ceil((used + wide) / room) - 1);
      used = ((used + wide) % room) + (word.spaceAfter ? blank : 0);
    }
  }
  return { lines, lineHeight: lineHeight || size * lineFactor(font) };
}

/** Fonts in which all letters are of one width. */
const EVEN = /mono|courier|consol/i;
const EVEN_EMS = 0.602;

/** Width of a font as a multiple of Carlito's. */
function widthFactor(font: string): number {
  if (/dejavu|verdana/i.test(font)) return 1.25;
  if (/noto|open sans|segoe/i.test(font)) return 1.15;
  return /calibri|carlito|times|serif|caladea|cambria|garamond/i.test(font) ? 1.02 : 1.12;
}

/** Height of a font's lines as a multiple of its size. */
function lineFactor(font: string): number {
  return /noto|open sans|segoe/i.test(font) ? 1.36 : 1.2;
}

interface Word {
  /** Width in Carlito without the blank behind it. */
  ems: number;
  /** The same in a font of `EVEN`. */
  evenEms: number;
  spaceAfter: boolean;
  isBreak: boolean;
}

/** A word with the blank behind it; single letters of scripts without blanks; pieces of endless words. */
const WORDS = /\n|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,100}[^\S\n]?|./gsu;

function splitWords(text: string): Word[] {
  return (text.match(WORDS) ?? []).map((word) => ({
    ...measureEms(word.trimEnd()),
    spaceAfter: word.endsWith(' '),
    isBreak: word === '\n',
  }));
}

const MAY_COMBINE = /[^\0-\u02ff]/;

function measureEms(word: string) {
  let ems = 0;
  let evenEms = 0;
  for (const character of MAY_COMBINE.test(word) ? word.normalize('NFC') : word) {
    const own = measureEm(character);
    ems += own;
    evenEms += own === 0 || own === 1 ? own : EVEN_EMS;
  }
  return { ems, evenEms };
}

const WIDTHS: readonly [ems: number, characters: RegExp][] = [
  [0.29, /[iljtfrI.,:;'|!()[\]/-]/],
  [0.84, /[mwMW@%&]/],
  [0, /[\p{Mn}\p{Me}]/u],
  [1, /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]|\p{Extended_Pictographic}/u],
  [0.61, /\p{Lu}/u],
];
const OTHERS_EMS = 0.515;
/** Cache by code point: 2 plus the index of its row above, or 1 without one. */
const rows = new Uint8Array(0x110000);

function measureEm(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const row = rows[code] || 2 + WIDTHS.findIndex(([, characters]) => characters.test(character));
  rows[code] = row;
  return WIDTHS[row - 2]?.[0] ?? OTHERS_EMS;
}
