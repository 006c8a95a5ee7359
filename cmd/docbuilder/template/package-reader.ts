import { closeSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';
import { corrupt } from '../source/source-errors.ts';

/** An entry of a package; its packed bytes begin at `position`. */
export interface PackageEntry {
  name: string;
  method: number;
  crc32: number;
  packedSize: number;
  size: number;
  position: number;
  /** Date and time as the archive has them (APPNOTE.TXT, section 4.4.6). */
  date: number;
  time: number;
}

export interface PackageReader {
  entries: readonly PackageEntry[];
  /** All of an entry, unpacked. */
  read(entry: PackageEntry): Buffer;
  /** An entry's bytes as they are, in pieces of at most `CHUNK_BYTES`. */
  packed(entry: PackageEntry): Generator<Buffer>;
  close(): void;
}

const CHUNK_BYTES = 1024 * 1024;

/**
 * Opens a package that was inspected before (source/inspect). Reads are synchronous: this is for a thread of its own.
 * @throws {AppError} `corrupt_source` `bad_archive`
 */
export async function openPackage(path: string): Promise<PackageReader> {
  const entries: PackageEntry[] = [];
  try {
    const archive = await openPromise(path, { autoClose: false, strictFileNames: true });
    try {
      for await (const entry of archive.eachEntry()) {
        const { fileDataStart } = await archive.readLocalFileHeaderPromise(entry, { minimal: true });
        entries.push(describe(entry, fileDataStart));
      }
    } finally {
      archive.close();
    }
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? error : corrupt('bad_archive', error);
  }
  const file = openSync(path, 'r');
  return {
    entries,
    packed: (entry) => readPacked(file, entry),
    read: (entry) => unpack(entry, Buffer.concat([...readPacked(file, entry)])),
    close: () => closeSync(file),
  };
}

function describe(entry: Entry, position: number): PackageEntry {
  return {
    name: entry.fileName,
    method: entry.compressionMethod,
    crc32: entry.crc32,
    packedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    position,
    date: entry.lastModFileDate,
    time: entry.lastModFileTime,
  };
}

function* readPacked(file: number, { position, packedSize }: PackageEntry): Generator<Buffer> {
  for (let done = 0; done < packedSize; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, packedSize - done));
    const length = readSync(file, chunk, 0, chunk.length, position + done);
    if (length === 0) throw corrupt('bad_archive');
    yield chunk.subarray(0, length);
    done += length;
  }
}

function unpack(entry: PackageEntry, packed: Buffer): Buffer {
  if (entry.method === 0) return packed;
  try {
    const bytes = inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) });
    if (bytes.length === entry.size) return bytes;
  } catch (error) {
    throw corrupt('bad_archive', error);
  }
  throw corrupt('bad_archive');
}
