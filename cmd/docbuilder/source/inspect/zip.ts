import { constants, inflateRawSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { AppError } from '../../../../src/common/errors.ts';
import { corrupt } from '../source-errors.ts';
import type { ByteSource } from './source.ts';

const MiB = 1024 * 1024;

/**
 * Limits on an archive and all archives in it together. A 300 MB workbook of rows and cells unpacks to 2 GiB; a
 * sheet or text rarely shrinks to less than a fortieth. Blank bitmaps and repeated rows do, so a little of that is let
 * through, as much as the engine reads in seconds.
 */
export const ARCHIVE_LIMITS = {
  entries: 10_000,
  bytes: 2048 * MiB,
  /** Entries that shrink more than this are dense ... */
  ratio: 200,
  /** ... and unpack to no more than this together. */
  denseBytes: 64 * MiB,
  /** Archives within archives: a document, a slide pasted into it, and the table behind that slide's chart. */
  depth: 2,
} as const;

/** Counts what one document's archives hold. */
export type ArchiveBudget = Record<'entries' | 'bytes' | 'denseBytes', number>;

/** Starts to count for a document. */
export function newBudget(): ArchiveBudget {
  return { entries: 0, bytes: 0, denseBytes: 0 };
}

type Listed = Pick<Entry, 'fileName' | 'compressedSize' | 'uncompressedSize' | 'compressionMethod' | 'isEncrypted'>;

/**
 * Counts one entry of a directory in.
 * @throws {AppError} `corrupt_source`: `zip_bomb` over a limit, `bad_archive` for what no office program writes
 */
export function admitEntry(entry: Listed, budget: ArchiveBudget): void {
  const { fileName, compressedSize, uncompressedSize, compressionMethod } = entry;
  const isPacked = compressionMethod === 0 || compressionMethod === 8;
  if (!isPlainName(fileName) || entry.isEncrypted() || !isPacked) throw corrupt('bad_archive');
  // .NET Framework 4.0 makes pictures half as large again when it packs them: a packed size far over that is a lie.
  if (compressedSize > uncompressedSize * 2 + 1024) throw corrupt('bad_archive');
  budget.entries += 1;
  budget.bytes += uncompressedSize;
  if (uncompressedSize > compressedSize * ARCHIVE_LIMITS.ratio) budget.denseBytes += uncompressedSize;
  const { entries, bytes, denseBytes } = ARCHIVE_LIMITS;
  if (budget.entries > entries || budget.bytes > bytes || budget.denseBytes > denseBytes) throw corrupt('zip_bomb');
}

/** A relative path with forward slashes that stays inside its root. */
function isPlainName(name: string): boolean {
  if (name === '' || name.startsWith('/') || /^[A-Za-z]:/.test(name)) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no control character has a place in a part's name
  return !/[\\\u0000-\u001f]/.test(name) && !name.split('/').includes('..');
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
/** APPNOTE.TXT, sections 4.3.15 and 4.3.16. */
const END_RECORD = 'PK\x05\x06';
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const END_64_LOCATOR = 0x07064b50;
const END_64_LOCATOR_BYTES = 20;

export interface ZipEntry {
  readonly name: string;
  readonly compressedSize: number;
  /** As declared. */
  readonly size: number;
  /** 0 stored, 8 deflated (APPNOTE.TXT, section 4.4.5). */
  readonly method: number;
  /** The place of its packed bytes; undefined where nobody finds any. */
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
  const source = findArchive(file);
  const directory = await readDirectory(source, budget);
  const entries = new Map<string, ZipEntry>();
  let end = 0;
  for (const entry of directory.sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    const { fileName: name, compressedSize, uncompressedSize: size, compressionMethod: method } = entry;
    const position = findData(source, entry);
    entries.set(name, { name, compressedSize, size, method, position });
    if (position === undefined) continue;
    // Entries that share their packed bytes make a bomb of any size out of one small file.
    if (position < end) throw corrupt('zip_bomb');
    end = position + compressedSize;
  }
  if (entries.size < directory.length) throw corrupt('bad_archive');
  return { source, entries };
}

/**
 * Finds the archive in a file, without bytes before and behind it, as LibreOffice does (ZipFile.cxx, findEND and
 * readCEN), so that both see the same entries.
 */
function findArchive(file: ByteSource): ByteSource {
  const tailBytes = Math.min(file.size, END_BYTES + MAX_COMMENT_BYTES + END_64_LOCATOR_BYTES);
  const tail = file.read(file.size - tailBytes, tailBytes);
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
export function endsAsArchive(file: ByteSource): boolean {
  try {
    return findArchive(file).size > 0;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Lists the entries of a directory. Whatever yauzl complains about is the archive's fault. */
async function readDirectory(source: ByteSource, budget: ArchiveBudget): Promise<Entry[]> {
  const entries: Entry[] = [];
  try {
    const options = { autoClose: false, strictFileNames: true };
    const archive = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, options);
    for await (const entry of archive.eachEntry()) {
      admitEntry(entry, budget);
      entries.push(entry);
    }
    return entries;
  } catch (error) {
    throw asBadArchive(error);
  }
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
    new Promise<Buffer>((resolve) => resolve(this.#source.read(position, length))).then((bytes) => {
      bytes.copy(buffer, offset);
      callback(bytes.length < length ? new Error('unexpected end of file') : null);
    }, callback);
  }
}

/**
 * Finds where an entry's bytes begin; undefined if its own header has another name than the directory or is not there,
 * for then no program reads it. All else in that header is passed over: some programs get it wrong.
 */
function findData(source: ByteSource, entry: Entry): number | undefined {
  const start = entry.relativeOffsetOfLocalHeader;
  const header = source.read(start, LOCAL_HEADER_BYTES + entry.fileNameLength);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER) return undefined;
  const position = start + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const isNamed =
    header.subarray(LOCAL_HEADER_BYTES).equals(entry.fileNameRaw) && header.readUInt16LE(26) === entry.fileNameLength;
  return isNamed && position + entry.compressedSize <= source.size ? position : undefined;
}

function getPosition({ position }: ZipEntry): number {
  if (position === undefined) throw corrupt('bad_archive');
  return position;
}

export interface Head {
  head: Buffer;
  /** That is all of the entry. */
  whole: boolean;
}

/**
 * The first bytes of an entry, unpacked in one go from its first `packed` bytes (deflate makes at most 1032 bytes of
 * one, so let these be few).
 * @throws {AppError} `corrupt_source` `bad_archive`, also if that is more than was declared
 */
export function readHead(zip: Zip, entry: ZipEntry, packed: number): Head {
  const bytes = zip.source.read(getPosition(entry), Math.min(packed, entry.compressedSize));
  const whole = bytes.length === entry.compressedSize;
  if (entry.method === 0) return { head: bytes, whole };
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, entry.size) };
    return { head: inflateRawSync(bytes, options), whole };
  } catch (error) {
    throw corrupt('bad_archive', error);
  }
}

/**
 * Reads all of an entry, unpacked.
 * @param maxBytes a larger entry is refused
 * @throws {AppError} `corrupt_source`: `zip_bomb` if it is larger, `bad_archive` if it is not what was declared
 */
export function readEntry(zip: Zip, entry: ZipEntry, maxBytes: number): Buffer {
  if (entry.size > maxBytes) throw corrupt('zip_bomb');
  const { head } = readHead(zip, entry, entry.compressedSize);
  if (head.length !== entry.size) throw corrupt('bad_archive');
  return head;
}

/** A disk that cannot be read is not the archive's fault. */
function asBadArchive(error: unknown): unknown {
  if (error instanceof AppError) return error;
  return error instanceof Error && 'syscall' in error ? error : corrupt('bad_archive', error);
}
