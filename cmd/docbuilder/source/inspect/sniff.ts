import type { Generation } from '../../formats.ts';
import { xmlText } from './xml-prolog.ts';

/** The kind of a file by its first bytes. `foreign` is a format that is known and not taken. */
export type Sniffed =
  | { kind: 'zip' | 'cfb' | 'rtf' | 'markup' | 'text' | 'binary' }
  | { kind: 'stream'; format: 'doc' | 'xls'; generation: Generation }
  | { kind: 'foreign'; format: string };

type Utf16 = 'utf-16le' | 'utf-16be';

/** As many bytes as `sniff` wants to see, or the whole file if it is shorter. */
export const SNIFF_BYTES = 64 * 1024;

/** A zip without entries, or one that was split over volumes, starts with another record than a local header. */
const ZIP_RECORDS = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

/** Signatures at the start of a file; `.` stands for any byte. */
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

/** First bytes of documents older than the compound file, as LibreOffice's detectors know them. */
const STREAMS: [starts: string[], format: 'doc' | 'xls', generation: Generation][] = [
  [['\x9b\xa5!', '\x9c\xa5!', '\xdb\xa5-', '\xdc\xa5e'], 'doc', 'word_2'],
  [excelStarts(), 'xls', 'excel_4'],
];

/** The first record of a workbook: its number is that of the version, and it is this long in one or the other. */
function excelStarts(): string[] {
  return ['\0', '\x02', '\x04', '\x08'].flatMap((version) =>
    ['\x04', '\x06', '\x08', '\x10'].map((length) => `\t${version}${length}\0`),
  );
}

/**
 * Tells a file's container from its first bytes, which say more than any name.
 * @param head the first `SNIFF_BYTES` of the file, or all of it
 */
export function sniff(head: Uint8Array): Sniffed {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 64)).toString('latin1');
  if (ZIP_RECORDS.some((record) => start.startsWith(record))) return { kind: 'zip' };
  if (start.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return { kind: 'cfb' };
  if (start.startsWith('{\\rtf')) return { kind: 'rtf' };
  const stream = STREAMS.find(([starts]) => starts.some((bytes) => start.startsWith(bytes)));
  if (stream) return { kind: 'stream', format: stream[1], generation: stream[2] };
  const foreign = SIGNATURES.find(([signature]) => matches(start, signature));
  if (foreign) return { kind: 'foreign', format: foreign[1] };
  if (!isPrintable(head, utf16Order(head))) return { kind: 'binary' };
  return /^\s*<[!?A-Za-z_]/.test(xmlText(head.subarray(0, 256))) ? { kind: 'markup' } : { kind: 'text' };
}

function matches(start: string, signature: string): boolean {
  if (start.length < signature.length) return false;
  return [...signature].every((byte, index) => byte === '.' || byte === start[index]);
}

/** Text has at most one other control character, which some program left behind, in so many characters. */
const CHARACTERS_PER_CONTROL = 100;

/** Returns whether bytes can be text: no NUL and hardly any control characters but those that are found in honest text. */
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

/** The character set that a byte order mark stands for (Unicode Standard, section 23.8). */
export function byteOrderMark(head: Uint8Array): 'utf-8' | Utf16 | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined;
}

/**
 * The byte order of UTF-16 text: by its mark, or because at least half of every second byte is NUL and none of the
 * others, or because it has lines in one order only. Western and Vietnamese text has a NUL beside each blank, digit and
 * plain letter, Chinese beside each line end.
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

/** Returns whether bytes are lines of text in UTF-16, without control characters. */
function hasLines(head: Uint8Array, order: Utf16): boolean {
  try {
    const text = new TextDecoder(order, { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what makes it text
    return text.includes('\n') && !/[\0-\x08\x0e-\x1f\ufffe\uffff]/.test(text);
  } catch {
    return false;
  }
}
