import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createInflateRaw, inflateRawSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { AppError } from '../../../../src/common/errors.ts';
import { corrupt } from '../source-errors.ts';
import { type ArchiveBudget, type ArchiveEntry, admitEntry } from './archive.ts';
import type { ByteSource } from './source.ts';

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
/** APPNOTE.TXT, sections 4.3.15 and 4.3.16. */
const END_RECORD = 'PK\x05\x06';
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const END_64_LOCATOR = 0x07064b50;
const END_64_LOCATOR_BYTES = 20;

/** An entry of an archive, with the place of its packed bytes; undefined where nobody finds any. */
export interface ZipEntry extends ArchiveEntry {
  readonly position: number | undefined;
}

/** An archive whose directory was read and found sound. */
export interface Zip {
  readonly source: ByteSource;
  readonly entries: ReadonlyMap<string, ZipEntry>;
}

/**
 * Reads an archive's directory and the headers of its entries, unpacking nothing.
 * @param budget bounds this archive and those around it together
 * @throws {AppError} `corrupt_source`: `bad_archive`, `zip_bomb`
 */
export async function readZip(file: ByteSource, budget: ArchiveBudget): Promise<Zip> {
  const source = await findArchive(file);
  const directory = await readDirectory(source, budget);
  const entries = new Map<string, ZipEntry>();
  let end = 0;
  // In the order of the file, which spares going to and fro in it.
  for (const entry of directory.sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    const position = await findData(source, entry);
    entries.set(entry.fileName, { ...describe(entry), position });
    if (position === undefined) continue;
    // Entries that share their packed bytes make a bomb of any size out of one small file.
    if (position < end) throw corrupt('zip_bomb');
    end = position + entry.compressedSize;
  }
  return { source, entries };
}

/**
 * Finds the archive in a file, without bytes before and behind it, as LibreOffice does (ZipFile.cxx, findEND and
 * readCEN), so that both see the same entries.
 */
async function findArchive(file: ByteSource): Promise<ByteSource> {
  const tailBytes = Math.min(file.size, END_BYTES + MAX_COMMENT_BYTES + END_64_LOCATOR_BYTES);
  const tail = await file.read(file.size - tailBytes, tailBytes);
  const at = tail.length < END_BYTES ? -1 : tail.lastIndexOf(END_RECORD, tail.length - END_BYTES, 'latin1');
  if (at < 0) throw corrupt('bad_archive');
  const record = file.size - tailBytes + at;
  const end = Math.min(file.size, record + END_BYTES + tail.readUInt16LE(at + 20));
  const has64 = at >= END_64_LOCATOR_BYTES && tail.readUInt32LE(at - END_64_LOCATOR_BYTES) === END_64_LOCATOR;
  const start = has64 ? 0 : record - tail.readUInt32LE(at + 12) - tail.readUInt32LE(at + 16);
  if (start < 0) throw corrupt('bad_archive');
  return {
    size: end - start,
    read: (position, length) => file.read(start + position, Math.max(0, Math.min(length, end - start - position))),
  };
}

/** Returns whether a file ends like an archive, whatever it begins with. */
export async function endsAsArchive(file: ByteSource): Promise<boolean> {
  return findArchive(file).then(
    () => true,
    () => false,
  );
}

async function readDirectory(source: ByteSource, budget: ArchiveBudget): Promise<Entry[]> {
  const entries: Entry[] = [];
  const names = new Set<string>();
  for await (const entry of listEntries(source)) {
    admitEntry(describe(entry), names, budget);
    entries.push(entry);
  }
  return entries;
}

/** Lists the entries of a directory. Whatever yauzl complains about is the archive's fault. */
async function* listEntries(source: ByteSource): AsyncGenerator<Entry, void, undefined> {
  try {
    const archive = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, {
      autoClose: false,
      strictFileNames: true,
    });
    yield* archive.eachEntry();
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

/**
 * Finds where an entry's bytes begin; undefined if its own header has another name than the directory or is not there,
 * for then no program reads it. All else in that header is passed over: some programs get it wrong.
 */
async function findData(source: ByteSource, entry: Entry): Promise<number | undefined> {
  const start = entry.relativeOffsetOfLocalHeader;
  const header = await source.read(start, LOCAL_HEADER_BYTES + entry.fileNameLength);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER) return undefined;
  const position = start + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const isNamed =
    header.subarray(LOCAL_HEADER_BYTES).equals(entry.fileNameRaw) && header.readUInt16LE(26) === entry.fileNameLength;
  return isNamed && position + entry.compressedSize <= source.size ? position : undefined;
}

/**
 * The first bytes of an entry, unpacked in one go from its first `packed` bytes (deflate makes at most 1032 bytes of
 * one, so let these be few); `whole` if that is all there is.
 * @throws {AppError} `corrupt_source` `bad_archive`, also if that is more than was declared
 */
export async function readHead(zip: Zip, entry: ZipEntry, packed: number): Promise<{ head: Buffer; whole: boolean }> {
  const bytes = await zip.source.read(getPosition(entry), Math.min(packed, entry.compressedSize));
  const whole = bytes.length === entry.compressedSize;
  if (entry.method === 0) return { head: bytes, whole };
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, entry.size) };
    return { head: inflateRawSync(bytes, options), whole };
  } catch (error) {
    throw corrupt('bad_archive', error);
  }
}

function getPosition({ position }: ZipEntry): number {
  if (position === undefined) throw corrupt('bad_archive');
  return position;
}

/**
 * Reads all of an entry, unpacked.
 * @param maxBytes a larger entry is refused
 * @throws {AppError} `corrupt_source`: `zip_bomb` if it is larger, `bad_archive` if it is not what was declared
 */
export async function readEntry(zip: Zip, entry: ZipEntry, maxBytes: number): Promise<Buffer> {
  if (entry.size > maxBytes) throw corrupt('zip_bomb');
  const packed = await zip.source.read(getPosition(entry), entry.compressedSize);
  if (entry.method === 0) return packed;
  try {
    const bytes = inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) });
    if (bytes.length === entry.size) return bytes;
  } catch (error) {
    throw corrupt('bad_archive', error);
  }
  throw corrupt('bad_archive');
}

/** Bytes of an entry in memory at a time while it is streamed. */
const PIECE_BYTES = 64 * 1024;

/**
 * Reads the first bytes of an entry: `bytes` of them or a few more, or all there are.
 * @throws {AppError} `corrupt_source` `bad_archive` if it is not what was declared
 */
export async function readStart(zip: Zip, entry: ZipEntry, bytes: number): Promise<Buffer> {
  const unpacked = entry.method === 0 ? new PassThrough() : createInflateRaw({ chunkSize: PIECE_BYTES });
  // An error arrives through `unpacked`, too.
  const fed = pipeline(Readable.from(packedPieces(zip, entry)), unpacked).catch(() => undefined);
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of unpacked) {
      pieces.push(piece as Buffer);
      length += pieces.at(-1)?.length ?? 0;
      if (length >= bytes || length > entry.size) break;
    }
  } catch (error) {
    throw asBadArchive(error);
  } finally {
    unpacked.destroy();
    await fed;
  }
  if (length > entry.size || (length < bytes && length < entry.size)) throw corrupt('bad_archive');
  return Buffer.concat(pieces);
}

async function* packedPieces(zip: Zip, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
  const position = getPosition(entry);
  for (let done = 0; done < entry.compressedSize; done += PIECE_BYTES) {
    yield await zip.source.read(position + done, Math.min(PIECE_BYTES, entry.compressedSize - done));
  }
}

/** A disk that cannot be read is not the archive's fault. */
function asBadArchive(error: unknown): unknown {
  if (error instanceof AppError) return error;
  return error instanceof Error && 'syscall' in error ? error : corrupt('bad_archive', error);
}

/** Lets yauzl read. It asks for a few bytes at a time, and its own readers make a stream of each. */
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
