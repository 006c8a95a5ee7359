import { type Drawn, decode, i32, SYMBOLS, u32 } from './records.ts';

const EXT_TEXT_OUT_A = 83;
const EXT_TEXT_OUT_W = 84;
const SMALL_TEXT_OUT = 108;
const CREATE_FONT = 82;
const SELECT_OBJECT = 37;
const END = 14;
/** Options of a text (MS-EMF 2.1.11): no characters but numbers of glyphs, two distances for each, 8 bits, no rectangle. */
const GLYPHS = 0x0010;
const IN_TWO_DIRECTIONS = 0x2000;
const SMALL_CHARACTERS = 0x0200;
const NO_RECTANGLE = 0x0100;

/** The text that an enhanced metafile draws, in its order (MS-EMF 2.3.5); of one that is cut off what is there. */
export function* textOfEmf(bytes: Buffer): Generator<Drawn> {
  const fonts = new Map<number, number>();
  let charset = 0;
  for (let at = 0; at + 8 <= bytes.length; ) {
    const kind = bytes.readUInt32LE(at);
    const size = bytes.readUInt32LE(at + 4);
    if (kind === END || size < 8) return;
    const record = bytes.subarray(at, at + size);
    const read = READERS[kind];
    if (kind === CREATE_FONT) fonts.set(u32(record, 8), record[35] ?? 0);
    else if (kind === SELECT_OBJECT) charset = fonts.get(u32(record, 8)) ?? charset;
    else if (read && charset !== SYMBOLS) yield* read(record, charset);
    at += size;
  }
}

const READERS: Record<number, (record: Buffer, charset: number) => Drawn[]> = {
  [EXT_TEXT_OUT_A]: (record, charset) => readText(record, charset, 1),
  [EXT_TEXT_OUT_W]: (record, charset) => readText(record, charset, 2),
  [SMALL_TEXT_OUT]: readSmallText,
};

/** @param size of a character, in bytes */
function readText(record: Buffer, charset: number, size: 1 | 2): Drawn[] {
  const [length, start, options, distances] = [u32(record, 44), u32(record, 48), u32(record, 52), u32(record, 72)];
  if ((options & GLYPHS) !== 0) return [];
  const text = textAt(record, start, length, size, charset);
  const step = (options & IN_TWO_DIRECTIONS) === 0 ? 4 : 8;
  let width = 0;
  for (let index = 0; index < text.length && distances > 0; index++) width += u32(record, distances + step * index);
  return [{ text, x: i32(record, 36), y: i32(record, 40), width }];
}

function readSmallText(record: Buffer, charset: number): Drawn[] {
  const [length, options] = [u32(record, 16), u32(record, 20)];
  if ((options & GLYPHS) !== 0) return [];
  const start = (options & NO_RECTANGLE) === 0 ? 52 : 36;
  const size = (options & SMALL_CHARACTERS) === 0 ? 2 : 1;
  return [{ text: textAt(record, start, length, size, charset), x: i32(record, 8), y: i32(record, 12), width: 0 }];
}

/** Two bytes are UTF-16, of which half a pair may be missing; one is in the font's character set. */
function textAt(record: Buffer, start: number, length: number, size: 1 | 2, charset: number): string {
  const bytes = record.subarray(start, start + length * size);
  return size === 1 ? decode(bytes, charset) : bytes.toString('utf16le').toWellFormed().normalize('NFC');
}
