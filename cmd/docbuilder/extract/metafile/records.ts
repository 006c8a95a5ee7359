/** One piece of text that a metafile draws. Coordinates are the metafile's own. */
export interface Drawn {
  text: string;
  x: number;
  y: number;
  /** What the text is wide; 0 where the metafile does not tell. */
  width: number;
}

/** Numbers of a record, little endian; 0 behind its end. */
export function u16(record: Buffer, at: number): number {
  return at + 2 <= record.length ? record.readUInt16LE(at) : 0;
}
export function i16(record: Buffer, at: number): number {
  return at + 2 <= record.length ? record.readInt16LE(at) : 0;
}
export function u32(record: Buffer, at: number): number {
  return at + 4 <= record.length ? record.readUInt32LE(at) : 0;
}
export function i32(record: Buffer, at: number): number {
  return at + 4 <= record.length ? record.readInt32LE(at) : 0;
}

/** Encodings of a font's character sets (MS-WMF 2.1.1.5) by their WHATWG names; others are read as Windows-1252. */
const ENCODINGS: Record<number, string> = {
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};
/** The set of fonts whose characters are pictures. */
export const SYMBOLS = 2;

/** Made once: to make one takes longer than to decode a word. */
const DECODERS = new Map<string, InstanceType<typeof TextDecoder>>();

/** 8-bit text in a font with this character set. */
export function decode(bytes: Buffer, charset: number): string {
  const encoding = ENCODINGS[charset] ?? 'windows-1252';
  const decoder = DECODERS.get(encoding) ?? new TextDecoder(encoding);
  DECODERS.set(encoding, decoder);
  return decoder.decode(bytes).normalize('NFC');
}
