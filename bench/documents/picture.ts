import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const TRUECOLOUR = 2;
const BITS = 8;

/** A bar chart on a shaded ground as a PNG (ISO/IEC 15948); `seed` decides the bars. Sizes in pixels. */
export function chart(width: number, height: number, seed: number): Buffer {
  const rows = Array.from({ length: height }, (_, y) => row(width, height, y, seed));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS, TRUECOLOUR], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function row(width: number, height: number, y: number, seed: number): Buffer {
  const bars = 12;
  const line = Buffer.alloc(1 + 3 * width);
  for (let x = 0; x < width; x++) {
    const bar = Math.floor((x * bars) / width);
    const inside = (x * bars) % width < 0.7 * width;
    const high = 0.2 + 0.7 * Math.abs(Math.sin(seed + 1.7 * bar));
    const filled = inside && y > height * (1 - high);
    const shade = 225 + Math.floor((30 * y) / height);
    line.set(filled ? [46, 110 + 8 * bar, 180] : [shade, shade, 250], 1 + 3 * x);
  }
  return line;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}
