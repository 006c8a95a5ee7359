import type { Inline, Run } from '../../../../src/common/generated/script.ts';
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
  runs: readonly (Omit<Run, 'text'> & { word(index: number): Word | undefined })[];
}

/** At 8 points no more letters fit into a box of a metre each way, the largest. */
const MAX_CHARACTERS = 500_000;

/** Font sizes for a text that should have `size` points, down to the smallest that is still a text. */
export function sizesFrom(size: number, smallest = 8): number[] {
  return [size, ...[44, 40, 36, 32, 28, 26, 24, 22, 20, 18, 16, 14, 13, 12, 11, 10, 9, 8, 7, 6]].filter(
    (step, index) => index === 0 || (step < size && step >= smallest),
  );
}

/**
 * The largest of the font sizes at which the text fits into its box, by an estimate; the smallest where none does.
 * Shrinking is done here because "shrink on overflow" is lost or drawn differently by some format or reader.
 * @param sizes in points, falling
 */
export function fittingSize(
  text: readonly Measured[],
  box: Pick<Box, 'width' | 'height'>,
  sizes: readonly number[],
  font: string,
): number {
  const words = worded(text);
  const fits = (size: number) => measureHeight(words, box.width, size, font, box.height) <= box.height;
  return firstFitting(text, sizes, fits) ?? 18;
}

/** The first size in which a text fits, or else the last one. */
export function firstFitting(
  text: readonly Measured[],
  sizes: readonly number[],
  fits: (size: number) => boolean,
): number | undefined {
  return (isTooLong(text) ? undefined : sizes.find(fits)) ?? sizes.at(-1);
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
    runs: toRuns(part.text).map(({ text, ...look }) => ({ ...look, word: splitWords(text) })),
  }));
}

/** Height of the text at this font size, in millimetres; it stops counting above `enough`. */
export function measureHeight(
  text: readonly Worded[],
  width: number,
  size: number,
  font: string,
  enough = Number.POSITIVE_INFINITY,
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

const MM_PER_POINT = 25.4 / 72;
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
    for (let index = 0, word = run.word(0); word; word = run.word(++index)) {
      if (lines * lineHeight * MM_PER_POINT > enough) return { lines, lineHeight };
      if (word.isBreak) {
        lines += 1;
        used = 0;
        continue;
      }
      const wide = word.ems * factor;
      if (used > 0 && used + wide > room) {
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
  const list = Array.isArray(text) ? text : [text];
  return list.map((part) => (typeof part === 'string' ? { text: part } : part));
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
export interface Word {
  /** Its width in Carlito, in ems, without the blank behind it. */
  ems: number;
  spaceAfter: boolean;
  /** Instead of a word, the end of a line. */
  isBreak: boolean;
}

/** A word with the blank behind it; letters of scripts without blanks one by one; endless words in pieces. */
const WORDS = /\n|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,100}[^\S\n]?|./gsu;

/**
 * The words of a text by their index, undefined behind the last. Each is measured when it is first asked for and never
 * again: a text is tried in many font sizes, and of a long one most have no place in any of them.
 */
function splitWords(text: string): (index: number) => Word | undefined {
  const matches = text.matchAll(WORDS);
  const words: Word[] = [];
  return (index) => {
    if (index < words.length) return words[index];
    const next = matches.next();
    if (next.done) return undefined;
    const [word] = next.value;
    words.push({ ems: measureEms(word.trimEnd()), spaceAfter: word.endsWith(' '), isBreak: word === '\n' });
    return words[index];
  };
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
