import { closeSync, openSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';
import { type AppError, fileTooLarge } from '../../../src/common/errors.ts';
import type { PackageEntry } from './package-reader.ts';

const DEFLATED = 8;
/** Version that a reader needs for deflate, and the flag for names in UTF-8 (APPNOTE.TXT, sections 4.4.3, 4.4.4). */
const VERSION = 20;
const UTF8_NAMES = 0x0800;

type Written = Omit<PackageEntry, 'position'> & { offset: number };

/**
 * Writes a package entry by entry; entries may be taken over from another package as they are, packed.
 * @param maxBytes a larger package is refused
 */
export interface PackageWriter {
  copy(entry: PackageEntry, packed: Iterable<Buffer>): void;
  /** Writes new content under the name of an entry. */
  add(entry: PackageEntry, content: Uint8Array): void;
  /** Writes the directory (APPNOTE.TXT, section 4.3.6). */
  finish(): void;
  /** Must be called, whether finished or not. */
  close(): void;
}

/**
 * Creates a package; what is at the path is lost.
 * @throws {AppError} each function: `file_too_large` beyond `maxBytes`
 */
export function createPackage(path: string, maxBytes: number): PackageWriter {
  const file = openSync(path, 'w', 0o600);
  const written: Written[] = [];
  let size = 0;

  function write(bytes: Uint8Array): void {
    if (size + bytes.length > maxBytes) throw outputTooLarge(maxBytes);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    size += bytes.length;
  }

  function begin(entry: Omit<PackageEntry, 'position'>): void {
    const { name, method, crc32, packedSize, size: unpackedSize, date, time } = entry;
    written.push({ name, method, crc32, packedSize, size: unpackedSize, date, time, offset: size });
    write(Buffer.concat([localHeader(entry), Buffer.from(name)]));
  }

  return {
    copy(entry, packed) {
      begin(entry);
      for (const chunk of packed) write(chunk);
    },
    add(entry, content) {
      const packed = deflateRawSync(content);
      const method = DEFLATED;
      begin({ ...entry, method, crc32: crc32(content), packedSize: packed.length, size: content.length });
      write(packed);
    },
    finish() {
      const offset = size;
      for (const entry of written) write(Buffer.concat([directoryHeader(entry), Buffer.from(entry.name)]));
      write(endRecord(written.length, size - offset, offset));
    },
    close: () => closeSync(file),
  };
}

/** The result is larger than the plan allows; with `memory_limit`, than a template may become while it is filled. */
export function outputTooLarge(maxBytes: number, reason?: 'memory_limit', cause?: unknown): AppError {
  return fileTooLarge(maxBytes, { subject: 'output', ...(reason && { reason }) }, cause);
}

/** What both headers have in the same order (APPNOTE.TXT, sections 4.3.7 and 4.3.12). */
function writeCommon(header: Buffer, at: number, entry: Omit<PackageEntry, 'position'>): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(UTF8_NAMES, at + 2);
  header.writeUInt16LE(entry.method, at + 4);
  header.writeUInt16LE(entry.time, at + 6);
  header.writeUInt16LE(entry.date, at + 8);
  header.writeUInt32LE(entry.crc32, at + 10);
  header.writeUInt32LE(entry.packedSize, at + 14);
  header.writeUInt32LE(entry.size, at + 18);
  header.writeUInt16LE(Buffer.byteLength(entry.name), at + 22);
}

function localHeader(entry: Omit<PackageEntry, 'position'>): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, entry);
  return header;
}

function directoryHeader(entry: Written): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(VERSION, 4);
  writeCommon(header, 6, entry);
  header.writeUInt32LE(entry.offset, 42);
  return header;
}

function endRecord(count: number, directorySize: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(directorySize, 12);
  record.writeUInt32LE(directoryOffset, 16);
  return record;
}
