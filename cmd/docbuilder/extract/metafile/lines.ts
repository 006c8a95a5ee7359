import { textOfEmf } from './emf.ts';
import type { Drawn } from './records.ts';
import { textOfWmf } from './wmf.ts';

/** How pictures begin that consist of drawing commands, in base64: EMF, WMF, WMF with a header that says its size. */
const READERS: readonly [start: string, read: (bytes: Buffer) => Iterable<Drawn>][] = [
  ['AQAAA', textOfEmf],
  ['AQAJAA', textOfWmf],
  ['183Gm', textOfWmf],
];
/** Bytes that tell a metafile, which white space may stand in front of. */
export const START_BYTES = 32;
/** Between two pieces of a word there is less than this share of a character's width. */
const GAP = 0.25;

/** @param base64 the first bytes of a picture */
export function isMetafile(base64: Buffer): boolean {
  return readerOf(base64.toString('latin1', 0, START_BYTES)) !== undefined;
}

function readerOf(base64: string): ((bytes: Buffer) => Iterable<Drawn>) | undefined {
  const begin = base64.slice(0, START_BYTES).trimStart();
  return READERS.find(([start]) => begin.startsWith(start))?.[1];
}

/**
 * The text that a metafile draws, in its order. What stands at the same height is a line: metafiles draw words, or parts
 * of them, one by one.
 * @param base64 the picture; what is no metafile has no text, what is cut off has what is there
 */
export function linesOfMetafile(base64: string): string[] {
  const read = readerOf(base64);
  if (!read) return [];
  const lines: string[] = [];
  let line = '';
  let last: Drawn | undefined;
  const end = () => {
    if (line.trim() !== '') lines.push(line.trim());
    line = '';
  };
  for (const drawn of read(Buffer.from(base64, 'base64'))) {
    const text = drawn.text.replace(NOT_TEXT, ' ');
    if (last?.y !== drawn.y) end();
    else if (!isContinued(last, drawn)) line += ' ';
    line += text;
    last = drawn;
  }
  end();
  return lines.map((one) => one.replace(/ {2,}/g, ' '));
}

/** Control characters, and private ones, which only a font gives a meaning. */
const NOT_TEXT = /[\p{Cc}\p{Co}]+/gu;

function isContinued({ text, x, width }: Drawn, next: Drawn): boolean {
  return width > 0 && Math.abs(next.x - x - width) < (GAP * width) / text.length;
}
