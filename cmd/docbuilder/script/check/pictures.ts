import { crc32 } from 'node:zlib';
import { AppError, type Mistake } from '../../../../src/common/errors.ts';

/** A checked picture. */
export interface Picture {
  base64: string;
  mediaType: 'image/png' | 'image/jpeg' | 'image/gif';
  /** Natural size at 96 dots per inch when it is upright, millimetres. */
  width: number;
  height: number;
  /** What makes it upright: readers of documents ignore what a camera noted. */
  turn?: Turn | undefined;
}

/** A turn to the left, of a picture that is mirrored first. */
interface Turn {
  degrees: number;
  mirrored: boolean;
}

/** By the orientation of Exif (version 2.32, 4.6.4.A): a phone that is held upright notes 6. */
const TURNS: Partial<Record<number, Turn>> = {
  2: { degrees: 0, mirrored: true },
  3: { degrees: 180, mirrored: false },
  4: { degrees: 180, mirrored: true },
  5: { degrees: 90, mirrored: true },
  6: { degrees: -90, mirrored: false },
  7: { degrees: -90, mirrored: true },
  8: { degrees: 90, mirrored: false },
};

const MM_PER_PIXEL = 25.4 / 96;
export const MAX_PICTURE_BYTES = 10 * 1024 * 1024;
/** More than a camera makes; the engine holds four bytes for each. */
const MAX_PIXELS = 100_000_000;

/** Contract: run-time checks, base64 images. @param path of the image in the script @throws {AppError} `script_error` */
export function decodedPicture(base64: string, path: string): Picture {
  const text = base64.replace(/^data:[a-z]+\/[a-z0-9.+-]+;base64,/i, '').replace(/\s+/g, '');
  const place = `${path}/base64`;
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw scriptError({ path: place, message: 'không phải base64 hợp lệ' });
  }
  return picture(Buffer.from(text, 'base64'), place, text);
}

/** @param path of the member with the bytes or their address @throws {AppError} `script_error` */
export function picture(bytes: Buffer, path: string, base64 = bytes.toString('base64')): Picture {
  if (bytes.length > MAX_PICTURE_BYTES) throw scriptError({ path, message: 'lớn hơn 10 MB' });
  const { mediaType, width, height, isWhole, turn } = readPng(bytes) ?? readGif(bytes) ?? readJpeg(bytes) ?? {};
  if (!mediaType || !width || !height) throw scriptError({ path, message: 'không phải hình ảnh PNG, JPEG hay GIF' });
  if (width * height > MAX_PIXELS) throw scriptError({ path, message: `có hơn ${MAX_PIXELS} điểm ảnh` });
  if (!isWhole) throw scriptError({ path, message: 'là hình ảnh bị hỏng hoặc bị cắt cụt' });
  const [across, down] = turn && turn.degrees % 180 !== 0 ? [height, width] : [width, height];
  return { base64, mediaType, width: across * MM_PER_PIXEL, height: down * MM_PER_PIXEL, ...(turn && { turn }) };
}

/** @param errors all mistakes, `mistake` among them */
export function scriptError(mistake: Mistake, errors: readonly Mistake[] = [mistake], cause?: unknown): AppError {
  return new AppError('script_error', { ...mistake, errors }, { cause });
}

/** Facts of a picture, read in time proportional to its length. */
interface PictureFacts {
  mediaType: Picture['mediaType'];
  width: number;
  height: number;
  /** False where a part is missing or damaged: LibreOffice would draw it grey. Bytes behind the end do not count. */
  isWhole: boolean;
  turn?: Turn | undefined;
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** Length, type and CRC of a chunk. */
const CHUNK_BYTES = 12;

/** ISO/IEC 15948, section 5.3. */
function readPng(bytes: Buffer): PictureFacts | undefined {
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG) && bytes.toString('latin1', 12, 16) === 'IHDR';
  if (!isPng) return undefined;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return { mediaType: 'image/png', width, height, isWhole: isWholePng(bytes) };
}

/** Reads the chunks up to IEND. Damage in ancillary ones does not count. */
function isWholePng(bytes: Buffer): boolean {
  let hasData = false;
  let at = PNG.length;
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

const IMAGE = 0x2c;
const EXTENSION = 0x21;

/** Reads the blocks (GIF89a, section 12) up to the first byte that begins none, nearly always the trailer. */
function readGif(bytes: Buffer): PictureFacts | undefined {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined;
  const byte = (at: number): number => bytes[at] ?? 0;
  /** Bytes of the colour table of a descriptor with these flags. */
  const colorBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  let hasImage = false;
  let at = 13 + colorBytes(byte(10));
  while (byte(at) === IMAGE || byte(at) === EXTENSION) {
    hasImage ||= byte(at) === IMAGE;
    at += byte(at) === IMAGE ? 11 + colorBytes(byte(at + 9)) : 2;
    while (byte(at) !== 0) at += 1 + byte(at);
    at += 1;
  }
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  return { mediaType: 'image/gif', width, height, isWhole: hasImage && at <= bytes.length };
}

const END_OF_IMAGE = 0xd9;
const EXIF = 0xe1;
const ORIENTATION = 0x0112;
const START_OF_SCAN = 0xda;
/** A start-of-frame segment (baseline, extended, progressive) up to its size. */
const FRAME_BYTES = 9;
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);

/** Reads the markers up to the end of the image (ITU-T T.81, B.1.1). Any number of 0xff may precede a marker. */
function readJpeg(bytes: Buffer): PictureFacts | undefined {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let size: { width: number; height: number } | undefined;
  let turn: Turn | undefined;
  let hasScan = false;
  let isEnded = false;
  let at = 2;
  while (at + 1 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    isEnded = marker === END_OF_IMAGE;
    if (isEnded) break;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (at + 4 > bytes.length) break;
    if (FRAMES.has(marker) && at + FRAME_BYTES <= bytes.length) {
      size ??= { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (marker === EXIF) turn ??= TURNS[orientation(bytes.subarray(at + 4, end))];
    at = end;
    if (marker !== START_OF_SCAN) continue;
    hasScan = true;
    at = endOfScan(bytes, at);
  }
  return size && { mediaType: 'image/jpeg', ...size, isWhole: hasScan && isEnded, turn };
}

/** Returns the orientation in an Exif segment (TIFF 6.0, section 2: the entries of the first directory); 0 without one. */
function orientation(segment: Buffer): number {
  const tiff = segment.toString('latin1', 0, 6) === 'Exif\0\0' ? segment.subarray(6) : Buffer.alloc(0);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const number = (at: number, bytes: 2 | 4): number => {
    if (at + bytes > tiff.length) return 0;
    return isLittle ? tiff.readUIntLE(at, bytes) : tiff.readUIntBE(at, bytes);
  };
  const directory = number(4, 4);
  for (let left = number(directory, 2), at = directory + 2; left > 0; left--, at += 12) {
    if (number(at, 2) === ORIENTATION) return number(at + 8, 2);
  }
  return 0;
}

/** Index of the first marker that is not part of a scan's data, or the length. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = start; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] as number;
    const isRestart = next >= 0xd0 && next <= 0xd7;
    if (next !== 0 && next !== 0xff && !isRestart) return at;
  }
  return bytes.length;
}
