import { corrupt } from '../../domain/source-errors.ts';
import type { ByteSource } from './source.ts';

/**
 * Reads compound files ([MS-CFB]), the container of doc, xls, ppt and of encrypted OOXML: which streams the root
 * storage has and how they begin. Numbers of sectors come from the file; every chain is as long as the file at most.
 */
export interface CompoundFile {
  /** Names of the streams of the root storage. */
  readonly streams: ReadonlySet<string>;
  /** The first bytes of a stream of the root storage; empty if there is no such stream. */
  readStart(name: string, length: number): Promise<Buffer>;
}

/** Section 2.6: one entry of the directory. */
interface DirectoryEntry {
  name: string;
  isStream: boolean;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MINI_STREAM_CUTOFF = 4096;
const MINI_SECTOR_BYTES = 64;
/** Section 2.1: sector numbers from here on have a meaning of their own, such as the end of a chain. */
const MAX_REGULAR_SECTOR = 0xfffffffa;
/** A longer directory or table of small sectors has no document. */
const MAX_TABLE_BYTES = 16 * 1024 * 1024;
const FREE_SECTOR = 0xffffffff;
const SPARE_FAT_SECTORS = 16;

/** @throws {AppError} `corrupt_source` `bad_compound_file` */
export async function readCompoundFile(source: ByteSource): Promise<CompoundFile> {
  const header = await source.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) throw corrupt('bad_compound_file');
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) throw corrupt('bad_compound_file');
  const sectorBytes = 1 << shift;

  const readSector = async (sector: number): Promise<Buffer> => {
    const bytes = await source.read((sector + 1) * sectorBytes, sectorBytes);
    if (bytes.length === 0) throw corrupt('bad_compound_file');
    if (bytes.length === sectorBytes) return bytes;
    // Some programs do not fill up the last sector.
    return Buffer.concat([bytes, Buffer.alloc(sectorBytes - bytes.length)]);
  };
  const fat = await readFat(source, header, sectorBytes, readSector);

  /** The first bytes of the stream that begins in a sector. */
  const readChain = async (first: number, length: number): Promise<Buffer> => {
    const sectors: Buffer[] = [];
    for (const sector of chain(first, fat)) {
      if (sectors.length * sectorBytes >= length) break;
      sectors.push(await readSector(sector));
    }
    return Buffer.concat(sectors).subarray(0, length);
  };

  const directory = parseDirectory(await readChain(header.readUInt32LE(48), MAX_TABLE_BYTES), sectorBytes);
  const root = directory[0];
  if (!root) throw corrupt('bad_compound_file');
  const streams = new Map(children(directory, root).map((entry) => [entry.name, entry]));

  /** Section 2.4: small streams live in sectors of 64 bytes inside one large stream, the root's. */
  const readMiniChain = async (first: number, length: number): Promise<Buffer> => {
    const miniFat = tableOf(await readChain(header.readUInt32LE(60), MAX_TABLE_BYTES));
    const container = Uint32Array.from(chain(root.start, fat));
    const pieces: Buffer[] = [];
    for (const mini of chain(first, miniFat)) {
      if (pieces.length * MINI_SECTOR_BYTES >= length) break;
      const position = mini * MINI_SECTOR_BYTES;
      const sector = container[Math.floor(position / sectorBytes)];
      if (sector === undefined) throw corrupt('bad_compound_file');
      const offset = position % sectorBytes;
      pieces.push((await readSector(sector)).subarray(offset, offset + MINI_SECTOR_BYTES));
    }
    return Buffer.concat(pieces).subarray(0, length);
  };

  return {
    streams: new Set(streams.keys()),
    readStart(name, length) {
      const entry = streams.get(name);
      const wanted = Math.min(length, entry?.size ?? 0);
      if (!entry || wanted === 0) return Promise.resolve(Buffer.alloc(0));
      return entry.size < MINI_STREAM_CUTOFF ? readMiniChain(entry.start, wanted) : readChain(entry.start, wanted);
    },
  };
}

/** Section 2.3: which sector follows which. A table that knows of sectors behind the file's end says it was cut off. */
async function readFat(
  source: ByteSource,
  header: Buffer,
  sectorBytes: number,
  readSector: (sector: number) => Promise<Buffer>,
): Promise<Uint32Array> {
  const inFile = Math.ceil(source.size / sectorBytes) - 1;
  const count = header.readUInt32LE(44);
  const perSector = sectorBytes / 4;
  if (count === 0 || count > 2 * Math.ceil(inFile / perSector) + SPARE_FAT_SECTORS) throw corrupt('bad_compound_file');
  const fat = new Uint32Array(count * perSector);
  let filled = 0;
  for await (const sector of fatSectors(header, sectorBytes, readSector)) {
    if (filled === fat.length) break;
    fat.set(tableOf(await readSector(sector)), filled);
    filled += perSector;
  }
  const used = fat.findLastIndex((next) => next !== FREE_SECTOR) + 1;
  if (filled < fat.length || used > inFile) throw corrupt('bad_compound_file');
  return fat;
}

/** Section 2.5: the sectors that hold the table; 109 in the header, the rest in a chain of sectors of their own. */
async function* fatSectors(
  header: Buffer,
  sectorBytes: number,
  readSector: (sector: number) => Promise<Buffer>,
): AsyncGenerator<number> {
  for (let offset = 76; offset < HEADER_BYTES; offset += 4) yield header.readUInt32LE(offset);
  let next = header.readUInt32LE(68);
  while (next < MAX_REGULAR_SECTOR) {
    const sector = await readSector(next);
    for (let offset = 0; offset < sectorBytes - 4; offset += 4) yield sector.readUInt32LE(offset);
    next = sector.readUInt32LE(sectorBytes - 4);
  }
}

/** The 32-bit little-endian numbers in bytes that may be anywhere in memory. */
function tableOf(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readUInt32LE(index * 4));
}

/** The sectors of a chain; one that is longer than its table runs in a circle. */
function* chain(first: number, table: Uint32Array): Generator<number> {
  let sector = first;
  for (let length = 0; sector < MAX_REGULAR_SECTOR; length++) {
    const next = table[sector];
    if (next === undefined || length >= table.length) throw corrupt('bad_compound_file');
    yield sector;
    sector = next;
  }
}

function parseDirectory(bytes: Buffer, sectorBytes: number): DirectoryEntry[] {
  return Array.from({ length: Math.floor(bytes.length / ENTRY_BYTES) }, (_, index) => {
    const entry = bytes.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES);
    const nameBytes = Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2) & ~1;
    // Only files of 4096-byte sectors may be over 2 GiB; others leave rubbish in the upper half.
    const upper = sectorBytes === 512 ? 0 : entry.readUInt32LE(124);
    return {
      name: entry.toString('utf16le', 0, nameBytes),
      isStream: entry[66] === 2,
      left: entry.readUInt32LE(68),
      right: entry.readUInt32LE(72),
      child: entry.readUInt32LE(76),
      start: entry.readUInt32LE(116),
      size: entry.readUInt32LE(120) + upper * 2 ** 32,
    };
  });
}

/** Section 2.6.4: the streams directly in a storage, which form a binary tree. */
function children(directory: DirectoryEntry[], storage: DirectoryEntry): DirectoryEntry[] {
  const found = new Set<DirectoryEntry>();
  const open = [storage.child];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const entry = directory[index];
    if (!entry || found.has(entry)) continue;
    found.add(entry);
    open.push(entry.left, entry.right);
  }
  return [...found].filter((entry) => entry.isStream);
}
