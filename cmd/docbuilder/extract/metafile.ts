import { normalized } from '../source/inspect/unicode.ts';

/** Text in a metafile and its position. `width` is 0 if the metafile does not have it. */
interface Drawn {
  text: string;
  x: number;
  y: number;
  width: number;
}

/** The beginnings of metafiles in base64: EMF, WMF, WMF with a header that has its size, StarView. */
const READERS: readonly [start: string, read: (bytes: Buffer) => Iterable<Drawn>][] = [
  ['AQAAA', readEmf],
  ['AQAJAA', readWmf],
  ['183Gm', readWmf],
  ['VkNMTVRG', readStarView],
];
/** The beginning, with white space before it. */
const START_LETTERS = 32;
/** Two pieces of a word have at most this share of a character's width between them. */
const GAP = 0.25;
/** Control characters, and those for private use. */
const NOT_TEXT = /[\p{Cc}\p{Co}]+/gu;

/** Returns the text in a metafile in its order; none for another picture. Words at the same height are a line. */
export function metafileLines(base64: string): string[] {
  const lines: string[] = [];
  let last: Drawn | undefined;
  const begin = base64.slice(0, START_LETTERS).trimStart();
  const read = READERS.find(([start]) => begin.startsWith(start))?.[1];
  for (const drawn of read?.(Buffer.from(base64, 'base64')) ?? []) {
    const text = normalized(drawn.text, 'NFC').replace(NOT_TEXT, ' ');
    if (last && isContinued(last, drawn)) lines.push(`${lines.pop()}${text}`);
    else lines.push(last?.y === drawn.y ? `${lines.pop()} ${text}` : text);
    last = drawn;
  }
  return lines.map((line) => line.replace(/ {2,}/g, ' ').trim()).filter((line) => line !== '');
}

/** Text that is not horizontal, such as the labels of a chart's axis, is drawn letter by letter. */
function isContinued({ text, x, y, width }: Drawn, next: Drawn): boolean {
  const isLine = y === next.y;
  if (width <= 0 || (!isLine && (text.length > 1 || next.text.length > 1))) return false;
  const distance = isLine ? next.x - x : Math.hypot(next.x - x, next.y - y);
  return Math.abs(distance - width) <= (GAP * width) / text.length;
}

const EMF = { textOut: 84, createFont: 82, selectObject: 37, end: 14 };

/** Reads an enhanced metafile (MS-EMF 2.3.5), which may be cut off. Its text is UTF-16. */
function* readEmf(bytes: Buffer): Generator<Drawn> {
  const fonts = new Map<number, number>();
  let charset = 0;
  for (let at = 0; at + 8 <= bytes.length; ) {
    const [kind, size] = [u32(bytes, at), u32(bytes, at + 4)];
    if (kind === EMF.end || size < 8) return;
    const record = bytes.subarray(at, at + size);
    if (kind === EMF.createFont) fonts.set(u32(record, 8), record[35] ?? 0);
    else if (kind === EMF.selectObject) charset = fonts.get(u32(record, 8)) ?? charset;
    else if (kind === EMF.textOut && charset !== SYMBOLS) yield readEmfText(record);
    at += size;
  }
}

function readEmfText(record: Buffer): Drawn {
  const [length, start, distances] = [u32(record, 44), u32(record, 48), u32(record, 72)];
  const text = record
    .subarray(start, start + 2 * length)
    .toString('utf16le')
    .toWellFormed();
  let width = 0;
  for (let index = 0; index < text.length && distances > 0; index++) width += u32(record, distances + 4 * index);
  return { text, x: u32(record, 36) | 0, y: u32(record, 40) | 0, width };
}

const WMF = { textOut: 0x0521, extTextOut: 0x0a32, createFont: 0x02fb, selectObject: 0x012d, deleteObject: 0x01f0 };
/** Records that create pens, brushes, palettes and regions. */
const WMF_OTHER_OBJECTS = new Set([0x02fa, 0x02fc, 0x00f7, 0x01f9, 0x0142, 0x06ff]);
const WMF_PLACEABLE = 0x9ac6cdd7;
const [WMF_PLACEABLE_BYTES, WMF_HEADER_BYTES] = [22, 18];
/** Options of a text with a rectangle: opaque or clipped. */
const WMF_RECTANGLE = 0x0002 | 0x0004;
/** Each new object takes the first free place in a table, which is searched for it. */
const WMF_MAX_OBJECTS = 1024;

/** Reads a Windows metafile (MS-WMF 2.3.3), which may be cut off. */
function* readWmf(bytes: Buffer): Generator<Drawn> {
  const objects: (number | 'other' | undefined)[] = [];
  const add = (object: number | 'other') => {
    const free = objects.indexOf(undefined);
    if (free >= 0) objects[free] = object;
    else if (objects.length < WMF_MAX_OBJECTS) objects.push(object);
  };
  let charset = 0;
  let at = WMF_HEADER_BYTES + (u32(bytes, 0) === WMF_PLACEABLE ? WMF_PLACEABLE_BYTES : 0);
  while (at + 6 <= bytes.length && u32(bytes, at) >= 3) {
    const record = bytes.subarray(at, at + 2 * u32(bytes, at));
    const [kind, place] = [u16(record, 4), u16(record, 6)];
    const selected = objects[place];
    if (kind === WMF.createFont) add(record[19] ?? 0);
    else if (WMF_OTHER_OBJECTS.has(kind)) add('other');
    else if (kind === WMF.deleteObject && place < objects.length) objects[place] = undefined;
    else if (kind === WMF.selectObject) charset = typeof selected === 'number' ? selected : charset;
    else if (charset !== SYMBOLS && kind === WMF.textOut) yield readWmfText(record, charset);
    else if (charset !== SYMBOLS && kind === WMF.extTextOut) yield readWmfExtText(record, charset);
    at += record.length;
  }
}

function readWmfText(record: Buffer, charset: number): Drawn {
  const length = u16(record, 6);
  const end = 8 + length + (length % 2);
  const text = decode(record.subarray(8, 8 + length), charset);
  return { text, x: i16(record, end + 2), y: i16(record, end), width: 0 };
}

function readWmfExtText(record: Buffer, charset: number): Drawn {
  const length = Math.min(u16(record, 10), record.length);
  const start = (u16(record, 12) & WMF_RECTANGLE) === 0 ? 14 : 22;
  const end = start + length + (length % 2);
  let width = 0;
  for (let index = 0; index < length; index++) width += i16(record, end + 2 * index);
  return { text: decode(record.subarray(start, start + length), charset), x: i16(record, 8), y: i16(record, 6), width };
}

const STAR_VIEW = { header: 16, sizeAndCount: 12, compat: 6, textArray: 113 };

/**
 * Reads a metafile of LibreOffice's own (its `SvmWriter`), as which it keeps the SmartArt of Word documents. A record is its
 * type, a version, its size and data. A paragraph is drawn in pieces, each of which has all of its text.
 */
function* readStarView(bytes: Buffer): Generator<Drawn> {
  const { header, sizeAndCount, compat, textArray } = STAR_VIEW;
  let last = { text: '', end: 0 };
  let at = header + compat + u32(bytes, header + 2) + sizeAndCount;
  while (at + 2 + compat <= bytes.length) {
    const start = at + 2 + compat;
    const end = start + u32(bytes, at + 4);
    if (u16(bytes, at) === textArray) {
      const record = bytes.subarray(start, end);
      const piece = readStarViewPiece(record);
      const isNext = piece.text === last.text && piece.start >= last.end;
      if (!isNext) yield { text: piece.text, x: u32(record, 0) | 0, y: u32(record, 4) | 0, width: 0 };
      last = piece;
    }
    at = end;
  }
}

/** The text is there twice: in the character set of the font, and after the positions of its letters in UTF-16. */
function readStarViewPiece(record: Buffer): { text: string; start: number; end: number } {
  const letters = u32(record, 8);
  const at = 12 + 2 * letters <= record.length ? 12 + 2 * letters : 10 + u16(record, 8);
  const start = u16(record, at);
  const again = at + 8 + 4 * u32(record, at + 4);
  const text = record.toString('utf16le', again + 2, Math.min(again + 2 + 2 * u16(record, again), record.length));
  return { text: text.toWellFormed(), start, end: start + u16(record, at + 2) };
}

/** These read little-endian numbers, and 0 after the end. */
function u16(record: Buffer, at: number): number {
  return at + 2 <= record.length ? record.readUInt16LE(at) : 0;
}
function i16(record: Buffer, at: number): number {
  return at + 2 <= record.length ? record.readInt16LE(at) : 0;
}
function u32(record: Buffer, at: number): number {
  return at + 4 <= record.length ? record.readUInt32LE(at) : 0;
}

/** WHATWG encodings of fonts' character sets (MS-WMF 2.1.1.5) other than windows-1252. */
const ENCODINGS: Record<number, string> = {
  ...{ 128: 'shift_jis', 129: 'euc-kr', 134: 'gbk', 136: 'big5', 161: 'windows-1253', 162: 'windows-1254' },
  ...{ 163: 'windows-1258', 177: 'windows-1255', 178: 'windows-1256', 186: 'windows-1257', 204: 'windows-1251' },
  ...{ 222: 'windows-874', 238: 'windows-1250' },
};
/** The character set of fonts with symbols. */
const SYMBOLS = 2;
/** Creating a decoder takes longer than decoding a word. */
const DECODERS = new Map<string, InstanceType<typeof TextDecoder>>();

function decode(bytes: Buffer, charset: number): string {
  const encoding = ENCODINGS[charset] ?? 'windows-1252';
  const decoder = DECODERS.get(encoding) ?? new TextDecoder(encoding);
  DECODERS.set(encoding, decoder);
  return decoder.decode(bytes);
}
