import { truncate } from '../../../src/common/truncate.ts';

const FALLBACK = 'tai-lieu';
/** Characters that a file name on some system cannot have (contract: save item, filename), and invisible ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
const FORBIDDEN = /[/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/g;
/** Longest stem in UTF-8: with its extension it fits any file system. */
const MAX_STEM_BYTES = 120;
/** The rest of a longer name is ignored, so that its normalization takes no time. */
const MAX_READ_BYTES = 1024;

/**
 * Returns a file's name without its folder and extension, safe to show, to put into a header and to use as a file name: no
 * control or direction characters, no dots or white space at either end, at most 120 bytes of UTF-8.
 */
export function parseStem(filename: string | undefined): string {
  const base = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  const stem = truncate(base.replace(/\.[A-Za-z0-9]{1,5}$/, ''), MAX_READ_BYTES);
  const clean = stem
    .normalize('NFC')
    .replace(FORBIDDEN, '')
    .replace(/^[.\s]+/, '');
  return truncate(clean, MAX_STEM_BYTES).replace(/[.\s]+$/, '') || FALLBACK;
}

/** Longest name of a sheet in Excel. */
const MAX_SHEET_NAME = 31;

/** Returns the name of the sheet that csv becomes, such as Excel takes: it calls a workbook with another kind corrupt. */
export function toSheetName(stem: string): string {
  const name = stem
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .slice(0, MAX_SHEET_NAME)
    .replace(/^[.'\s]+|['\s]+$/g, '');
  return (/^history$/i.test(name) ? `${name}_` : name) || FALLBACK;
}
