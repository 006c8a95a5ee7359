import { inflateSync } from 'node:zlib';

/** The pixels of a picture, three bytes each. */
export interface Pixels {
  width: number;
  height: number;
  at(x: number, y: number): [red: number, green: number, blue: number];
  /** Share of pixels that are not white. */
  ink: number;
}

/** Reads a PNG of eight-bit RGB without filters, the only kind that the engine writes. */
export function readPng(png: Buffer): Pixels {
  if (png.subarray(0, 8).toString('latin1') !== '\x89PNG\r\n\x1a\n') throw new Error('no PNG');
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const [kind, data] = [png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + png.readUInt32BE(at))];
    if (kind === 'IDAT') parts.push(data);
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (png.readUInt32BE(24) !== 0x08020000) throw new Error('not eight-bit RGB');
  const data = inflateSync(Buffer.concat(parts));
  const stride = 1 + 3 * width;
  if (data.length !== stride * height) throw new Error('too few or too many pixels');
  const at = (x: number, y: number): [number, number, number] => {
    const start = y * stride + 1 + 3 * x;
    return [data.readUInt8(start), data.readUInt8(start + 1), data.readUInt8(start + 2)];
  };
  let inked = 0;
  for (let y = 0; y < height; y++) {
    if (data[y * stride] !== 0) throw new Error('a row with a filter');
    for (let x = 0; x < width; x++) if (at(x, y).some((value) => value < 250)) inked++;
  }
  return { width, height, at, ink: inked / (width * height) };
}

/** Format, width and height of a picture, from its header. */
export function describePicture(bytes: Buffer): [format: string, width: number, height: number] {
  if (bytes.toString('latin1', 1, 4) === 'PNG') return ['png', bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (bytes.toString('latin1', 8, 16) === 'WEBPVP8 ') {
    return ['webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  }
  if (bytes.readUInt16BE(0) !== 0xffd8) throw new Error('no picture');
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    if (marker === 0xffc0 || marker === 0xffc2) return ['jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  }
}
