import { constants, inflateRawSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { AppError } from '../../../../src/common/errors.ts';
import { corrupt } from '../source-errors.ts';
import type { ByteSource } from './source.ts';

const MiB = 1024 * 1024;

/**
 * Limits on an archive together with all archives in it. A workbook of 300 MB unpacks to 2 GiB. Sheets and text rarely
 * shrink to less than a fortieth; blank bitmaps and repeated rows do, which LibreOffice reads in seconds up to 64 MiB.
 */
export const ARCHIVE_LIMITS = {
  entries: 10_000,
  bytes: 2048 * MiB,
  /** Entries that shrink more than this are dense ... */
  ratio: 200,
  /** ... and unpack to no more than this together. */
  denseBytes: 64 * MiB,
  /** A document, a slide embedded in it, and the workbook of that slide's chart. */
  depth: 2,
} as const;

/** Counts what one document's archives hold. */
export type ArchiveBudget = Record<'entries' | 'bytes' | 'denseBytes', number>;

/** Creates the budget of one document. */
export function newBudget(): ArchiveBudget {
  return { entries: 0, bytes: 0, denseBytes: 0 };
}

type Listed = Pick<Entry, 'fileName' | 'compressedSize' | 'uncompressedSize' | 'compressionMethod' | 'isEncrypted'>;

/** Counts an entry. @throws {AppError} `corrupt_source`: `zip_bomb` over a limit, `bad_archive` for an unusual entry */
export function admitEntry(entry: Listed, budget: ArchiveBudget): void {
  const { fileName, compressedSize, uncompressedSize, compressionMethod } = entry;
  const isPacked = compressionMethod === 0 || compressionMethod === 8;
  if (!isPlainName(fileName) || entry.isEncrypted() || !isPacked) throw corrupt('bad_archive');
  // .NET Framework 4.0 makes pictures half as large again when it packs them.
  if (compressedSize > uncompressedSize * 2 + 1024) throw corrupt('bad_archive');
  budget.entries += 1;
  budget.bytes += uncompressedSize;
  if (uncompressedSize > compressedSize * ARCHIVE_LIMITS.ratio) budget.denseBytes += uncompressedSize;
  const { entries, bytes, denseBytes } = ARCHIVE_LIMITS;
  if (budget.entries > entries || budget.bytes > bytes || budget.denseBytes > denseBytes) throw corrupt('zip_bomb');
}

/** Returns whether a name is a relative path with forward slashes inside its root. */
function isPlainName(name: string): boolean {
  if (name === '' || name.startsWith('/') || /^[A-Za-z]:/.test(name)) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
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

interface ZipEntry {
  readonly name: string;
  readonly compressedSize: number;
  /** As declared. */
  readonly size: number;
  /** 0 stored, 8 deflated (APPNOTE.TXT, section 4.4.5). */
  readonly method: number;
  /** The position of its packed bytes; undefined where no program finds any. */
  readonly position: number | undefined;
}

/** An archive with a valid directory. */
export interface Zip {
  readonly source: ByteSource;
  readonly entries: ReadonlyMap<string, ZipEntry>;
}

/** Reads an archive's directory and the headers of its entries. @throws {AppError} `corrupt_source`: `bad_archive`, `zip_bomb` */
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
    // Entries that share their packed bytes make a bomb of any size.
    if (position < end) throw corrupt('zip_bomb');
    end = position + compressedSize;
  }
  if (entries.size < directory.length) throw corrupt('bad_archive');
  return { source, entries };
}

/** Finds the archive in a file with other bytes around it, as LibreOffice does (ZipFile.cxx, findEND and readCEN). */
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

/** Returns whether a file ends as an archive. */
export function endsAsArchive(file: ByteSource): boolean {
  try {
    return findArchive(file).size > 0;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Lists the entries of a directory. Errors of yauzl are the archive's fault, those of the file system are not. */
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
    if (error instanceof AppError || (error instanceof Error && 'syscall' in error)) throw error;
    throw corrupt('bad_archive', error);
  }
}

/** A reader for yauzl, whose own readers create a stream for each of its many small reads. */
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
 * Returns the position of an entry's packed bytes; undefined if its local header is missing or has another name than the
 * directory, because no program reads such an entry. Some programs write other fields of that header wrong.
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

/** The first bytes of an entry; `whole` if that is all of it. */
export interface Head {
  head: Buffer;
  whole: boolean;
}

/**
 * Unpacks the first `packed` bytes of an entry, each to 1032 bytes at most.
 * @throws {AppError} `corrupt_source` `bad_archive`, also if that is more than was declared
 */
export function readHead(zip: Zip, entry: ZipEntry, packed: number): Head {
  if (entry.position === undefined) throw corrupt('bad_archive');
  const bytes = zip.source.read(entry.position, Math.min(packed, entry.compressedSize));
  const whole = bytes.length === entry.compressedSize;
  if (entry.method === 0) return { head: bytes, whole };
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, entry.size) };
    return { head: inflateRawSync(bytes, options), whole };
  } catch (error) {
    throw corrupt('bad_archive', error);
  }
}

/** Unpacks an entry. @throws {AppError} `corrupt_source`: `zip_bomb` over `maxBytes`, `bad_archive` for another size than declared */
export function readEntry(zip: Zip, entry: ZipEntry, maxBytes: number): Buffer {
  if (entry.size > maxBytes) throw corrupt('zip_bomb');
  const { head } = readHead(zip, entry, entry.compressedSize);
  if (head.length !== entry.size) throw corrupt('bad_archive');
  return head;
}
