const FALLBACK = 'tai-lieu';
/** Characters that a file name on some system cannot hold (contract: save item, filename), and invisible ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const FORBIDDEN = /[/\\:*?"<>|\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/g;
/** Of a name's stem, in UTF-8: with its extension it fits any file system. */
export const MAX_STEM_BYTES = 120;

/**
 * The part of an uploaded or downloaded file's name before its extension, made safe to show and to put into a header
 * or a folder of its own: no path, no control or direction characters, at most 120 bytes of UTF-8. Vietnamese survives.
 */
export function stemOf(filename: string | undefined): string {
  const base = (filename ?? '').normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const withoutExtension = base.replace(/\.[A-Za-z0-9]{1,5}$/, '');
  const clean = withoutExtension.replace(FORBIDDEN, '').replace(/^[.\s]+|[.\s]+$/g, '');
  return truncate(clean, MAX_STEM_BYTES) || FALLBACK;
}

/** Cuts to a number of UTF-8 bytes without splitting a character. */
export function truncate(text: string, bytes: number): string {
  let length = 0;
  let cut = '';
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    cut += character;
  }
  return cut.trimEnd();
}
