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
