import { corrupt } from '../source-errors.ts';
import type { ByteSource } from './source.ts';

export type CompoundFile = ReturnType<typeof readCompoundFile>;

/** An entry of the directory (section 2.6), with its name in lower case. */
interface DirectoryEntry {
  name: string;
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
/** Higher sector numbers have a special meaning, such as the end of a chain (section 2.1). */
const MAX_REGULAR_SECTOR = 0xfffffffa;
/** No document has a longer directory or mini FAT. */
const MAX_TABLE_BYTES = 16 * 1024 * 1024;

/**
 * Reads the root storage of a compound file ([MS-CFB]), the container of doc, xls, ppt and of encrypted OOXML.
 * @throws {AppError} `corrupt_source` `bad_compound_file`
 */
export function readCompoundFile(source: ByteSource) {
  const header = source.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) throw corrupt('bad_compound_file');
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) throw corrupt('bad_compound_file');
  const sectorBytes = 1 << shift;
  const readSector: ReadSector = (sector) => source.read((sector + 1) * sectorBytes, sectorBytes);
  const inFile = Math.ceil(source.size / sectorBytes) - 1;
  const fat = readFat(header, sectorBytes, inFile, readSector);

  const readChain: ReadChain = (first, length) => readUnits(chain(first, fat), length, sectorBytes, readSector);
  const directory = parseDirectory(readChain(header.readUInt32LE(48), MAX_TABLE_BYTES), sectorBytes);
  const root = directory[0];
  if (!root) throw corrupt('bad_compound_file');
  const entries = new Map(children(directory, root).map((entry) => [entry.name, entry]));

  /** Reads a small stream, whose sectors of 64 bytes are in the root's stream (section 2.4). */
  const readMiniChain: ReadChain = (first, length) => {
    const miniFat = toTable(readChain(header.readUInt32LE(60), MAX_TABLE_BYTES));
    const container = Uint32Array.from(chain(root.start, fat));
    return readUnits(chain(first, miniFat), length, MINI_SECTOR_BYTES, (mini) => {
      const offset = (mini * MINI_SECTOR_BYTES) % sectorBytes;
      const sector = container[(mini * MINI_SECTOR_BYTES - offset) / sectorBytes];
      return sector === undefined ? NOTHING : readSector(sector).subarray(offset, offset + MINI_SECTOR_BYTES);
    });
  };

  return {
    /** Returns whether there is a stream or storage of this name, in any case (section 2.6.4). */
    has: (name: string) => entries.has(name.toLowerCase()),
    /** Returns whether no part of a stream is cut off. */
    isWhole(name: string): boolean {
      const { start = 0, size = 0 } = entries.get(name.toLowerCase()) ?? {};
      if (size < MINI_STREAM_CUTOFF) return true;
      const sectors = Uint32Array.from(chain(start, fat)).subarray(0, Math.ceil(size / sectorBytes));
      return sectors.length * sectorBytes >= size && sectors.every((sector) => sector < inFile);
    },
    /** Returns the first bytes of a stream; none if there is no such stream. */
    readStart(name: string, length: number): Buffer {
      const { start = 0, size = 0 } = entries.get(name.toLowerCase()) ?? {};
      const read = size < MINI_STREAM_CUTOFF ? readMiniChain : readChain;
      return read(start, Math.min(length, size));
    },
  };
}

type ReadSector = (sector: number) => Buffer;
/** Reads the first bytes of the stream that begins in a sector. */
type ReadChain = (first: number, length: number) => Buffer;
const NOTHING = Buffer.alloc(0);

function readUnits(sectors: Iterable<number>, length: number, sectorBytes: number, read: ReadSector): Buffer {
  const pieces: Buffer[] = [];
  for (const sector of sectors) {
    if (pieces.length * sectorBytes >= length) break;
    pieces.push(read(sector));
  }
  return Buffer.concat(pieces).subarray(0, length);
}

/** Reads the FAT, which has the number of the next sector for each sector (section 2.3). */
function readFat(header: Buffer, sectorBytes: number, inFile: number, readSector: ReadSector): Uint32Array {
  const fat = new Uint32Array(inFile).fill(MAX_REGULAR_SECTOR);
  let filled = 0;
  for (const sector of fatSectors(header, sectorBytes, inFile, readSector)) {
    if (filled >= inFile) break;
    const table = toTable(readSector(sector));
    fat.set(table.subarray(0, inFile - filled), filled);
    filled += sectorBytes / 4;
  }
  return fat;
}

/**
 * Lists the sectors of the FAT: 109 are in the header, the others in a chain of sectors (section 2.5). A chain longer than
 * the file is a circle, which need not name any sector.
 */
function* fatSectors(header: Buffer, sectorBytes: number, inFile: number, readSector: ReadSector): Generator<number> {
  yield* regular(toTable(header.subarray(76)));
  let next = header.readUInt32LE(68);
  for (let length = 0; next < MAX_REGULAR_SECTOR; length++) {
    if (length >= inFile) throw corrupt('bad_compound_file');
    const table = toTable(readSector(next));
    yield* regular(table.subarray(0, sectorBytes / 4 - 1));
    next = table[sectorBytes / 4 - 1] ?? MAX_REGULAR_SECTOR;
  }
}

function* regular(sectors: Uint32Array): Generator<number> {
  for (const sector of sectors) if (sector < MAX_REGULAR_SECTOR) yield sector;
}

/** Returns 32-bit little-endian numbers; the bytes may not be aligned in memory. */
function toTable(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readUInt32LE(index * 4));
}

/** Lists the sectors of a chain until it leaves the table. A chain longer than its table is a circle. */
function* chain(first: number, table: Uint32Array): Generator<number> {
  let sector = first;
  for (let length = 0; sector < table.length && length < table.length; length++) {
    yield sector;
    sector = table[sector] ?? MAX_REGULAR_SECTOR;
  }
}

function parseDirectory(bytes: Buffer, sectorBytes: number): DirectoryEntry[] {
  return Array.from({ length: Math.floor(bytes.length / ENTRY_BYTES) }, (_, index) => {
    const entry = bytes.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES);
    const nameBytes = Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2) & ~1;
    // Only files of 4096-byte sectors may be over 2 GiB; in others the upper half is undefined.
    const upper = sectorBytes === 512 ? 0 : entry.readUInt32LE(124);
    return {
      name: entry.toString('utf16le', 0, nameBytes).toLowerCase(),
      left: entry.readUInt32LE(68),
      right: entry.readUInt32LE(72),
      child: entry.readUInt32LE(76),
      start: entry.readUInt32LE(116),
      size: entry.readUInt32LE(120) + upper * 2 ** 32,
    };
  });
}

/** Lists the entries of a storage, which are a binary tree (section 2.6.4). */
function children(directory: DirectoryEntry[], storage: DirectoryEntry): DirectoryEntry[] {
  const found = new Set<DirectoryEntry>();
  const open = [storage.child];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const entry = directory[index];
    if (!entry || found.has(entry)) continue;
    found.add(entry);
    open.push(entry.left, entry.right);
  }
  return [...found];
}
