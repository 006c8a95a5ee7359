import { crc32 } from 'node:zlib';

const CHECKS: Record<PictureSize['type'], (bytes: Buffer) => boolean> = {
  png: isWholePng,
  jpg: isWholeJpeg,
  gif: isWholeGif,
};

/**
 * Returns false for a picture of which a part is missing or damaged, which LibreOffice would draw grey. What follows
 * after the end of a picture does not count. Costs no more than its length.
 */
export function isWhole(bytes: Buffer, type: PictureSize['type']): boolean {
  return CHECKS[type](bytes);
}

const PNG_SIGNATURE_BYTES = 8;
/** Length, type and CRC of a chunk. */
const CHUNK_BYTES = 12;

/** Goes through the chunks up to IEND (ISO/IEC 15948, section 5.3). A damaged one that is not critical is passed over. */
function isWholePng(bytes: Buffer): boolean {
  let hasData = false;
  let at = PNG_SIGNATURE_BYTES;
  while (at + CHUNK_BYTES <= bytes.length) {
    const end = at + CHUNK_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const isCritical = type < 'a';
    if (isCritical && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return false;
    if (type === 'IEND') return hasData;
    hasData ||= type === 'IDAT';
    at = end;
  }
  return false;
}

const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/** Goes from marker to marker up to the end of the image, with at least one scan before it (ITU-T T.81, B.1.1). */
function isWholeJpeg(bytes: Buffer): boolean {
  let hasScan = false;
  let at = 2;
  while (at + 1 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    if (marker === END_OF_IMAGE) return hasScan;
    if (marker === 0xff) at += 1;
    else if (at + 4 > bytes.length) return false;
    else at += 2 + bytes.readUInt16BE(at + 2);
    if (marker !== START_OF_SCAN) continue;
    hasScan = true;
    at = endOfScan(bytes, at);
  }
  return false;
}

/** Returns the place of the first marker that does not belong to the data of a scan, or the length. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = start; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] as number;
    const isRestart = next >= 0xd0 && next <= 0xd7;
    if (next !== 0 && next !== 0xff && !isRestart) return at;
  }
  return bytes.length;
}

const IMAGE = 0x2c;
const EXTENSION = 0x21;

/** Goes from block to block (GIF89a, section 12) to the first thing that is none, which is nearly always the trailer. */
function isWholeGif(bytes: Buffer): boolean {
  const byte = (at: number): number => bytes[at] ?? 0;
  /** Bytes of the table of colours that the flags of a descriptor announce. */
  const colorBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  let hasImage = false;
  let at = 13 + colorBytes(byte(10));
  while (byte(at) === IMAGE || byte(at) === EXTENSION) {
    const isImage = byte(at) === IMAGE;
    at += isImage ? 11 + colorBytes(byte(at + 9)) : 2;
    while (byte(at) !== 0) at += 1 + byte(at);
    at += 1;
    if (at > bytes.length) return false;
    hasImage ||= isImage;
  }
  return hasImage;
}

export interface PictureSize {
  type: 'png' | 'jpg' | 'gif';
  /** Pixels. */
  width: number;
  height: number;
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** A JPEG's start-of-frame segment up to its size: baseline, extended and progressive. */
const FRAME_BYTES = 9;
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);

/** Reads a picture's type and size from its head; undefined if it is no PNG, GIF or JPEG. It costs no more than its length. */
export function pictureSize(bytes: Buffer): PictureSize | undefined {
  // ISO/IEC 15948, section 5.3: the first chunk has the size.
  if (bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG) && bytes.toString('latin1', 12, 16) === 'IHDR') {
    return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) {
    return { type: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.length >= 2 && bytes.readUInt16BE(0) === 0xffd8) return sizeOfJpeg(bytes);
  return undefined;
}

/** Goes from segment to segment (ITU-T T.81, B.1.1), of which there may be as many as somebody likes to make. */
function sizeOfJpeg(bytes: Buffer): PictureSize | undefined {
  let at = 2;
  while (at + FRAME_BYTES <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    if (FRAMES.has(marker))
      return { type: 'jpg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    // Any number of such bytes may stand in front of a marker.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
