import type { Generation } from '../../formats.ts';
import { xmlText } from './xml.ts';

/** The kind of a file by its first bytes. `foreign` is a format that is not supported. */
export type Sniffed =
  | { kind: 'zip' | 'cfb' | 'rtf' | 'markup' | 'text' | 'binary' }
  | { kind: 'stream'; format: 'doc' | 'xls'; generation: Generation }
  | { kind: 'foreign'; format: string };

type Utf16 = 'utf-16le' | 'utf-16be';

/** Bytes that `sniff` needs, or the whole file if it is shorter. */
export const SNIFF_BYTES = 64 * 1024;

/** First records: a local header, that of an empty zip, and that of one in several volumes. */
const ZIP_RECORDS = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

/** Signatures of formats that are not supported; `.` is any byte. */
const SIGNATURES: [signature: string, format: string][] = [
  ['%PDF-', 'pdf'],
  ['%!PS', 'ps'],
  ['\x89PNG\r\n\x1a\n', 'png'],
  ['\xff\xd8\xff', 'jpg'],
  ['GIF87a', 'gif'],
  ['GIF89a', 'gif'],
  ['BM....\0\0\0\0', 'bmp'],
  ['II*\0', 'tiff'],
  ['MM\0*', 'tiff'],
  ['RIFF....WEBP', 'webp'],
  ['....ftyp', 'mp4'],
  ['\x1f\x8b\x08', 'gz'],
  ['BZh', 'bz2'],
  ['7z\xbc\xaf\x27\x1c', '7z'],
  ['Rar!\x1a\x07', 'rar'],
  ['\xfd7zXZ\0', 'xz'],
  ['SQLite format 3\0', 'sqlite'],
  ['\xd7\xcd\xc6\x9a\0\0', 'wmf'],
];

/** First bytes of documents older than compound files, as in LibreOffice's detectors. Excel: record, version, length. */
const WORD_2 = /^(?:\x9b\xa5!|\x9c\xa5!|\xdb\xa5-|\xdc\xa5e)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are bytes
const EXCEL_4 = /^\t[\0\x02\x04\x08][\x04\x06\x08\x10]\0/;

/** Returns the kind of a file by its first `SNIFF_BYTES`. */
export function sniff(head: Uint8Array): Sniffed {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 64)).toString('latin1');
  if (ZIP_RECORDS.some((record) => start.startsWith(record))) return { kind: 'zip' };
  if (start.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return { kind: 'cfb' };
  if (start.startsWith('{\\rtf')) return { kind: 'rtf' };
  if (WORD_2.test(start)) return { kind: 'stream', format: 'doc', generation: 'word_2' };
  if (EXCEL_4.test(start)) return { kind: 'stream', format: 'xls', generation: 'excel_4' };
  const foreign = SIGNATURES.find(([signature]) => matches(start, signature));
  if (foreign) return { kind: 'foreign', format: foreign[1] };
  if (!isPrintable(head, utf16Order(head))) return { kind: 'binary' };
  return /^\s*<[!?A-Za-z_]/.test(xmlText(head.subarray(0, 256))) ? { kind: 'markup' } : { kind: 'text' };
}

function matches(start: string, signature: string): boolean {
  if (start.length < signature.length) return false;
  return [...signature].every((byte, index) => byte === '.' || byte === start[index]);
}

/** Text has at most one unusual control character in so many characters. */
const CHARACTERS_PER_CONTROL = 100;

/** Returns whether bytes can be text: without NULs, and with hardly any unusual control characters. */
function isPrintable(head: Uint8Array, wide: Utf16 | undefined): boolean {
  const step = wide ? 2 : 1;
  const high = wide === 'utf-16be' ? 0 : 1;
  let controls = 0;
  for (let index = 0; index + step <= head.length; index += step) {
    if (wide && head[index + high] !== 0) continue;
    const byte = head[wide === 'utf-16be' ? index + 1 : index] ?? 0;
    if (byte === 0) return false;
    // Tabs, line ends, form feed, end of file (Ctrl-Z), escape.
    if (byte < 0x20 && !((byte >= 0x07 && byte <= 0x0d) || byte === 0x1a || byte === 0x1b)) controls++;
  }
  return controls * step * CHARACTERS_PER_CONTROL <= head.length;
}

/** Returns the character set of a byte order mark (Unicode Standard, section 23.8). */
export function byteOrderMark(head: Uint8Array): 'utf-8' | Utf16 | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

/**
 * Finds the byte order of UTF-16 text: by its mark; by NULs in at least half of the even or odd bytes and none in the
 * others, as Western and Vietnamese text has them; or because it has lines in one order only, as Chinese text has.
 */
export function utf16Order(head: Uint8Array): Utf16 | undefined {
  const marked = byteOrderMark(head);
  if (marked || head.length === 0 || head.length % 2 === 1) return marked === 'utf-8' ? undefined : marked;
  const nuls: [even: number, odd: number] = [0, 0];
  for (let index = 0; index < head.length; index++) if (head[index] === 0) nuls[(index & 1) as 0 | 1]++;
  const [even, odd] = nuls;
  const enough = head.length / 4;
  if (even === 0 && odd > 0 && odd >= enough) return 'utf-16le';
  if (odd === 0 && even > 0 && even >= enough) return 'utf-16be';
  const orders = (['utf-16le', 'utf-16be'] as const).filter((order) => even + odd > 0 && hasLines(head, order));
  return orders.length === 1 ? orders[0] : undefined;
}

/** Returns whether bytes are text in UTF-16 with line ends and without control characters. */
function hasLines(head: Uint8Array, order: Utf16): boolean {
  try {
    const text = new TextDecoder(order, { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: text has no control characters
    return text.includes('\n') && !/[\0-\x08\x0e-\x1f\ufffe\uffff]/.test(text);
  } catch {
    return false;
  }
}
