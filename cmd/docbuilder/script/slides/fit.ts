import type { Inline, Run } from '../../../../src/common/generated/script.ts';
import { MM_PER_POINT } from '../xml.ts';
import type { Box } from './layouts.ts';

/** A paragraph, as far as the room it needs goes. */
export interface Measured {
  text: Inline;
  bold?: boolean | undefined;
  /** Its size as a part of the size sought. */
  scale?: number;
  /** Indent from the left, and space above, as parts of the size sought and of its own size. */
  indentEms?: number;
  spaceBeforeEms?: number;
}

/** A paragraph whose words are measured once for all sizes. */
export interface Worded extends Measured {
  runs: readonly (Omit<Run, 'text'> & { words: readonly Word[] })[];
}

/** At 8 points no more letters fit into a box of a metre each way, the largest. */
const MAX_CHARACTERS = 500_000;
/** The smallest size of a text, in points. */
const SMALLEST = 8;
const SIZES = [44, 40, 36, 32, 28, 26, 24, 22, 20, 18, 16, 14, 13, 12, 11, 10, 9, SMALLEST];

/**
 * The size wanted if the text fits into its box with it, by an estimate; else the next smaller one with which it does, or
 * the smallest. Shrinking is done here because "shrink on overflow" is lost or drawn differently by some format or reader.
 */
export function fittingSize(
  text: readonly Measured[],
  box: Pick<Box, 'width' | 'height'>,
  wanted: number,
  font: string,
  smallest = SMALLEST,
): number {
  const measure = () => {
    const words = worded(text);
    return (size: number) => measureHeight(words, box.width, size, font, box.height) <= box.height;
  };
  return firstFitting(text, wanted, measure, smallest);
}

/**
 * The first size, from the one wanted down, in which a text fits, or else the smallest.
 * @param measure makes the function that tells; not called for a text that fits nowhere
 */
export function firstFitting(
  text: readonly Measured[],
  wanted: number,
  measure: () => (size: number) => boolean,
  smallest = SMALLEST,
): number {
  const sizes = [wanted, ...SIZES.filter((size) => size < wanted && size >= smallest)];
  return (isTooLong(text) ? undefined : sizes.find(measure())) ?? sizes.at(-1) ?? wanted;
}

/** Returns true if a text fits nowhere, whatever it is made of: marks need no room, but time to measure. */
function isTooLong(text: readonly Measured[]): boolean {
  let characters = 0;
  for (const part of text) for (const run of toRuns(part.text)) characters += run.text.length;
  return characters > MAX_CHARACTERS;
}

/** Paragraphs that can be measured in many sizes. */
export function worded<T extends Measured>(text: readonly T[]): (T & Worded)[] {
  return text.map((part) => ({
    ...part,
    runs: toRuns(part.text).map(({ text, ...look }) => ({ ...look, words: splitWords(text) })),
  }));
}

/** Height of the text at this font size, in millimetres; it stops counting above `enough`. */
export function measureHeight(
  text: readonly Worded[],
  width: number,
  size: number,
  font: string,
  enough: number,
): number {
  let height = 0;
  for (const [index, part] of text.entries()) {
    const own = size * (part.scale ?? 1);
    const { lines, lineHeight } = wrap(part, width - (part.indentEms ?? 0) * size * MM_PER_POINT, own, font, enough);
    const above = index === 0 ? 0 : (part.spaceBeforeEms ?? 0) * own;
    height += (lines * lineHeight + above) * MM_PER_POINT;
    if (height > enough) break;
  }
  return height;
}

/**
 * Returns the number of lines of a paragraph, and the height of the highest one in points. Lines break at blanks, long words
 * anywhere. It stops counting once the lines are higher than `enough` millimetres.
 */
function wrap({ runs, bold = false }: Worded, width: number, size: number, font: string, enough: number) {
  const room = Math.max(width, 1) / MM_PER_POINT;
  let lines = 1;
  let used = 0;
  let lineHeight = 0;
  for (const run of runs) {
    const points = run.size ?? size;
    lineHeight = Math.max(lineHeight, points * lineFactor(run.font ?? font));
    const factor = points * widthFactor(run.font ?? font) * ((run.bold ?? bold) ? 1.06 : 1);
    for (const word of run.words) {
      if (lines * lineHeight * MM_PER_POINT > enough) return { lines, lineHeight };
      const wide = word.ems * factor;
      if (word.isBreak || (used > 0 && used + wide > room)) {
        lines += 1;
        used = 0;
      }
      lines += Math.max(0, Math.ceil((used + wide) / room) - 1);
      used = ((used + wide) % room) + (word.spaceAfter ? 0.23 * factor : 0);
    }
  }
  return { lines, lineHeight: lineHeight || size * lineFactor(font) };
}

function toRuns(text: Inline): Run[] {
  return [text].flat().map((part) => (typeof part === 'string' ? { text: part } : part));
}

/** Returns the width of a font as a part of Carlito's. */
function widthFactor(font: string): number {
  if (/mono|courier|consol/i.test(font)) return 1.2;
  if (/dejavu|verdana/i.test(font)) return 1.25;
  if (/noto|open sans|segoe/i.test(font)) return 1.15;
  return /calibri|carlito|times|serif|caladea|cambria|garamond/i.test(font) ? 1.02 : 1.12;
}

/** Returns the height of a font's lines as a part of its size: that of Calibri, and Arial has a little less. */
function lineFactor(font: string): number {
  return /noto|open sans|segoe/i.test(font) ? 1.36 : 1.2;
}

/** A word as far as lines are concerned. */
interface Word {
  /** Its width in Carlito, in ems, without the blank behind it. */
  ems: number;
  spaceAfter: boolean;
  /** Instead of a word, the end of a line. */
  isBreak: boolean;
}

/** A word with the blank behind it; letters of scripts without blanks one by one; endless words in pieces. */
const WORDS = /\n|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,100}[^\S\n]?|./gsu;

function splitWords(text: string): Word[] {
  return (text.match(WORDS) ?? []).map((word) => ({
    ems: measureEms(word.trimEnd()),
    spaceAfter: word.endsWith(' '),
    isBreak: word === '\n',
  }));
}

/** Below them nothing combines. */
const MAY_COMBINE = /[^\0-\u02ff]/;

function measureEms(word: string): number {
  let sum = 0;
  for (const character of MAY_COMBINE.test(word) ? word.normalize('NFC') : word) sum += measureEm(character);
  return sum;
}

const WIDTHS: readonly [ems: number, characters: RegExp][] = [
  [0.29, /[iljtfrI.,:;'|!()[\]/-]/],
  [0.84, /[mwMW@%&]/],
  [0, /\p{M}/u],
  [1, /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]|\p{Extended_Pictographic}/u],
  [0.61, /\p{Lu}/u],
];
const OTHERS_EMS = 0.515;
/** For each code point that was met, 2 plus the index of its row above, or 1 if it has none. */
const rows = new Uint8Array(0x110000);

function measureEm(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const row = rows[code] || 2 + WIDTHS.findIndex(([, characters]) => characters.test(character));
  rows[code] = row;
  return WIDTHS[row - 2]?.[0] ?? OTHERS_EMS;
}
