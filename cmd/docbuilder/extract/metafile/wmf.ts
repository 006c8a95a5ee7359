import { type Drawn, decode, i16, SYMBOLS, u16 } from './records.ts';

const PLACEABLE = 0x9ac6cdd7;
const [PLACEABLE_BYTES, HEADER_BYTES] = [22, 18];
const TEXT_OUT = 0x0521;
const EXT_TEXT_OUT = 0x0a32;
const CREATE_FONT = 0x02fb;
/** Records that make another object than a font: pens, brushes, palettes, regions. */
const CREATE_OTHER = new Set([0x02fa, 0x02fc, 0x00f7, 0x01f9, 0x0142, 0x06ff]);
const SELECT_OBJECT = 0x012d;
const DELETE_OBJECT = 0x01f0;
/** More objects at a time are an attack: each new one looks for a free place. */
const MAX_OBJECTS = 1024;
/** Options of a text that has a rectangle: opaque or clipped. */
const HAS_RECTANGLE = 0x0002 | 0x0004;

/** The text that a Windows metafile draws, in its order (MS-WMF 2.3.3); of one that is cut off what is there. */
export function* textOfWmf(bytes: Buffer): Generator<Drawn> {
  const fonts = createTable();
  const start = bytes.length >= 4 && bytes.readUInt32LE(0) === PLACEABLE ? PLACEABLE_BYTES : 0;
  let charset = 0;
  for (let at = start + HEADER_BYTES; at + 6 <= bytes.length; ) {
    const size = 2 * bytes.readUInt32LE(at);
    if (size < 6) return;
    const kind = bytes.readUInt16LE(at + 4);
    const record = bytes.subarray(at, at + size);
    if (kind === CREATE_FONT) fonts.add(record[19] ?? 0);
    else if (CREATE_OTHER.has(kind)) fonts.add(undefined);
    else if (kind === DELETE_OBJECT) fonts.delete(u16(record, 6));
    else if (kind === SELECT_OBJECT) charset = fonts.get(u16(record, 6)) ?? charset;
    else if (kind === TEXT_OUT && charset !== SYMBOLS) yield readText(record, charset);
    else if (kind === EXT_TEXT_OUT && charset !== SYMBOLS) yield readExtendedText(record, charset);
    at += size;
  }
}

/** The table of objects, of which a new one takes the first free place: character sets of fonts, undefined for others. */
function createTable() {
  const objects = new Map<number, number | undefined>();
  let free = 0;
  return {
    add(charset: number | undefined): void {
      while (objects.has(free) && free < MAX_OBJECTS) free++;
      objects.set(free, charset);
    },
    delete(place: number): void {
      objects.delete(place);
      free = Math.min(free, place);
    },
    get: (place: number) => objects.get(place),
  };
}

function readText(record: Buffer, charset: number): Drawn {
  const length = u16(record, 6);
  const behind = 8 + length + (length % 2);
  return {
    text: decode(record.subarray(8, 8 + length), charset),
    x: i16(record, behind + 2),
    y: i16(record, behind),
    width: 0,
  };
}

function readExtendedText(record: Buffer, charset: number): Drawn {
  const length = Math.min(u16(record, 10), record.length);
  const start = (u16(record, 12) & HAS_RECTANGLE) === 0 ? 14 : 22;
  const behind = start + length + (length % 2);
  let width = 0;
  for (let index = 0; index < length; index++) width += i16(record, behind + 2 * index);
  return { text: decode(record.subarray(start, start + length), charset), x: i16(record, 8), y: i16(record, 6), width };
}
