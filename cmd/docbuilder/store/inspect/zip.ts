import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createInflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { AppError } from '../../../../src/common/errors.ts';
import { type ArchiveBudget, type ArchiveEntry, admitEntry } from '../../domain/archive.ts';
import { corrupt } from '../../domain/source-errors.ts';
import { type Turn, takingTurns } from '../turns.ts';
import type { ByteSource } from './source.ts';

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
/** General purpose bits: traditional encryption; sizes that follow the data (APPNOTE.TXT, section 4.4.4). */
const ENCRYPTED = 0x1;
const SIZES_FOLLOW = 0x8;
/** What may follow the last entry of a directory: the end record, its 64-bit form, a signature of the directory. */
const AFTER_DIRECTORY = new Set([0x06054b50, 0x06064b50, 0x05054b50]);

/** An entry of an archive, with the place of its packed bytes. */
export interface ZipEntry extends ArchiveEntry {
  readonly position: number;
}

/** An archive whose directory was read and found sound. */
export interface Zip {
  readonly source: ByteSource;
  readonly entries: ReadonlyMap<string, ZipEntry>;
}

/**
 * Reads an archive's directory and the headers of its entries, unpacking nothing.
 * @param budget what this archive and those around it may hold together
 * @param turn lets others have theirs: what is read may be in memory, and then nothing waits
 * @throws {AppError} `corrupt_source`: `bad_archive`, `zip_bomb`
 */
export async function readZip(source: ByteSource, budget: ArchiveBudget, turn: Turn = takingTurns()): Promise<Zip> {
  const entries = new Map<string, ZipEntry>();
  // The whole directory first: going to and fro between it and the entries would spoil reading ahead.
  for (const entry of await readDirectory(source, budget, turn)) {
    await turn();
    const position = await dataPosition(source, entry);
    entries.set(entry.fileName, { ...describe(entry), position });
  }
  refuseOverlaps(entries.values());
  return { source, entries };
}

async function readDirectory(source: ByteSource, budget: ArchiveBudget, turn: Turn): Promise<Entry[]> {
  const entries: Entry[] = [];
  const names = new Set<string>();
  for await (const entry of listed(source)) {
    await turn();
    admitEntry(describe(entry), names, budget);
    entries.push(entry);
  }
  return entries;
}

/** The entries that a directory lists. Whatever yauzl complains about is the archive's fault. */
async function* listed(source: ByteSource): AsyncGenerator<Entry, void, undefined> {
  try {
    const archive = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, {
      autoClose: false,
      strictFileNames: true,
    });
    yield* archive.eachEntry();
    // An archive with more entries than it counts shows different things to different readers.
    const after = await source.read(Number(archive.readEntryCursor), 4);
    if (after.length < 4 || !AFTER_DIRECTORY.has(after.readUInt32LE(0))) throw corrupt('bad_archive');
  } catch (error) {
    throw asBadArchive(error);
  }
}

function describe(entry: Entry): ArchiveEntry {
  return {
    name: entry.fileName,
    compressedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    encrypted: entry.isEncrypted(),
    method: entry.compressionMethod,
  };
}

/** Where an entry's bytes begin; its own header must say what the directory says. */
async function dataPosition(source: ByteSource, entry: Entry): Promise<number> {
  const start = entry.relativeOffsetOfLocalHeader;
  const header = await source.read(start, LOCAL_HEADER_BYTES + entry.fileNameLength);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER) throw corrupt('bad_archive');
  const flags = header.readUInt16LE(6);
  const sizes = [header.readUInt32LE(18), header.readUInt32LE(22)];
  const sizesKnown = !(flags & SIZES_FOLLOW) && !sizes.includes(0xffffffff);
  const position = start + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const same =
    !(flags & ENCRYPTED) &&
    header.readUInt16LE(8) === entry.compressionMethod &&
    header.subarray(LOCAL_HEADER_BYTES).equals(entry.fileNameRaw) &&
    header.readUInt16LE(26) === entry.fileNameLength &&
    (!sizesKnown || (sizes[0] === entry.compressedSize && sizes[1] === entry.uncompressedSize));
  if (!same || position + entry.compressedSize > source.size) throw corrupt('bad_archive');
  return position;
}

/** Entries that share their packed bytes make a bomb of any size out of one small file. */
function refuseOverlaps(entries: Iterable<ZipEntry>): void {
  let end = 0;
  for (const entry of [...entries].sort((a, b) => a.position - b.position)) {
    if (entry.position < end) throw corrupt('zip_bomb');
    end = entry.position + entry.compressedSize;
  }
}

/**
 * The first bytes of an entry, unpacked in one go from its first `packed` bytes (deflate makes at most 1032 bytes of
 * one, so let these be few); `whole` if that is all there is.
 * @throws {AppError} `corrupt_source` `bad_archive`, also if that is more than was declared
 */
export async function readHead(zip: Zip, entry: ZipEntry, packed: number): Promise<{ head: Buffer; whole: boolean }> {
  const bytes = await zip.source.read(entry.position, Math.min(packed, entry.compressedSize));
  const whole = bytes.length === entry.compressedSize;
  if (entry.method === 0) return { head: bytes, whole };
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, entry.size) };
    return { head: inflateRawSync(bytes, options), whole };
  } catch (error) {
    throw corrupt('bad_archive', error);
  }
}

const SYNC_BYTES = 64 * 1024;
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/**
 * All of an entry, unpacked.
 * @param maxBytes a larger entry is refused
 * @throws {AppError} `corrupt_source`: `zip_bomb` if it is larger, `bad_archive` if it is not what was declared
 */
export async function readEntry(zip: Zip, entry: ZipEntry, maxBytes: number): Promise<Buffer> {
  if (entry.size > maxBytes) throw corrupt('zip_bomb');
  const packed = await zip.source.read(entry.position, entry.compressedSize);
  if (entry.method === 0) return packed;
  const options = { maxOutputLength: Math.max(1, entry.size) };
  try {
    const bytes = entry.size <= SYNC_BYTES ? inflateRawSync(packed, options) : await inflate(packed, options);
    if (bytes.length === entry.size) return bytes;
  } catch (error) {
    throw corrupt('bad_archive', error);
  }
  throw corrupt('bad_archive');
}

/** How much of an entry is in memory at a time while it is streamed. */
const PIECE_BYTES = 64 * 1024;

/**
 * An entry in pieces, for those too large to be held in memory. Leaving the loop early ends the unpacking.
 * @param maxBytes a larger entry is refused
 * @throws {AppError} `corrupt_source`: `zip_bomb` if it is larger, `bad_archive` if it is not what was declared
 */
export async function* openEntry(zip: Zip, entry: ZipEntry, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  if (entry.size > maxBytes) throw corrupt('zip_bomb');
  let left = entry.size;
  try {
    for await (const piece of entry.method === 0 ? packedPieces(zip, entry) : inflated(zip, entry)) {
      left -= piece.length;
      if (left < 0) break;
      yield piece;
    }
  } catch (error) {
    throw isZlibError(error) ? corrupt('bad_archive', error) : error;
  }
  if (left !== 0) throw corrupt('bad_archive');
}

/**
 * The first bytes of an entry: `bytes` of them or a few more, or all there are.
 * @throws {AppError} `corrupt_source` `bad_archive` if it is not what was declared
 */
export async function readStart(zip: Zip, entry: ZipEntry, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of openEntry(zip, entry, Number.POSITIVE_INFINITY)) {
    pieces.push(piece);
    length += piece.length;
    if (length >= bytes) break;
  }
  return Buffer.concat(pieces);
}

async function* packedPieces(zip: Zip, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  for (let done = 0; done < entry.compressedSize; done += PIECE_BYTES) {
    yield await zip.source.read(entry.position + done, Math.min(PIECE_BYTES, entry.compressedSize - done));
  }
}

async function* inflated(zip: Zip, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  const unpacking = createInflateRaw({ chunkSize: PIECE_BYTES });
  // What goes wrong arrives through `unpacking`; after an early end there is nothing to tell.
  const done = pipeline(Readable.from(packedPieces(zip, entry)), unpacking).catch(() => {});
  try {
    for await (const piece of unpacking) yield piece as Buffer;
  } finally {
    unpacking.destroy();
    await done;
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

/** A disk that cannot be read is not the archive's fault. */
function asBadArchive(error: unknown): unknown {
  if (error instanceof AppError) return error;
  return error instanceof Error && 'syscall' in error ? error : corrupt('bad_archive', error);
}

/** What yauzl reads through. It asks for a few bytes at a time, which its own readers make a stream each of. */
class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#source.read(position, length).then((bytes) => {
      if (bytes.length < length) return callback(new Error('unexpected end of file'));
      bytes.copy(buffer, offset);
      callback(null);
    }, callback);
  }
}
