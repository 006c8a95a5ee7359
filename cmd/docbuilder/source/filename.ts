import { truncate } from '../../../src/common/truncate.ts';

const FALLBACK = 'tai-lieu';
/** Characters that a file name on some system cannot hold (contract: save item, filename), and invisible ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const FORBIDDEN = /[/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/g;
/** Longest stem in UTF-8: with its extension it fits any file system. */
export const MAX_STEM_BYTES = 120;
/** More of a name is not looked at, so that a hostile one costs nothing. */
const MAX_READ_BYTES = 1024;

/**
 * Returns the part of an uploaded or downloaded file's name before its extension, made safe to show and to put into a
 * header or a folder of its own: no path, no control or direction characters, at most 120 bytes of UTF-8. Vietnamese survives.
 */
export function parseStem(filename: string | undefined): string {
  const base = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  const stem = truncate(base.replace(/\.[A-Za-z0-9]{1,5}$/, ''), MAX_READ_BYTES);
  const clean = withoutEdges(stem.normalize('NFC').replace(FORBIDDEN, ''));
  return truncate(clean, MAX_STEM_BYTES) || FALLBACK;
}

const EDGE = /[.\s]/;

/** Without dots and white space at either end. */
function withoutEdges(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && EDGE.test(text.charAt(start))) start += 1;
  while (end > start && EDGE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Longest name of a sheet in Excel. */
const MAX_SHEET_NAME = 31;

/** Makes the name of the sheet that csv becomes. Excel takes a workbook with another kind of name for broken. */
export function toSheetName(stem: string): string {
  const name = stem
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .slice(0, MAX_SHEET_NAME)
    .replace(/^'+|'+$/g, '');
  return /^history$/i.test(name) ? `${name}_` : name;
}
