import { corrupt } from '../source-errors.ts';

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

export interface ArchiveEntry {
  readonly name: string;
  readonly compressedSize: number;
  /** As declared. */
  readonly size: number;
  readonly encrypted: boolean;
  /** 0 stored, 8 deflated (APPNOTE.TXT, section 4.4.5). */
  readonly method: number;
}

/** Counts what one document's archives hold. */
export interface ArchiveBudget {
  entries: number;
  bytes: number;
  denseBytes: number;
}

/** Starts to count for a document. */
export function newBudget(): ArchiveBudget {
  return { entries: 0, bytes: 0, denseBytes: 0 };
}

/**
 * Counts one entry in.
 * @param names names that this archive has so far; the entry's is added
 * @throws {AppError} `corrupt_source`: `zip_bomb` over a limit, `bad_archive` for what no office program writes
 */
export function admitEntry(entry: ArchiveEntry, names: Set<string>, budget: ArchiveBudget): void {
  if (!isPlainName(entry.name) || names.has(entry.name)) throw corrupt('bad_archive');
  names.add(entry.name);
  if (entry.encrypted || (entry.method !== 0 && entry.method !== 8)) throw corrupt('bad_archive');
  // Deflate never adds more than a few bytes to a block: a packed size far over the declared one is a lie.
  if (entry.compressedSize > entry.size * 1.1 + 1024) throw corrupt('bad_archive');
  budget.entries += 1;
  budget.bytes += entry.size;
  if (entry.size > entry.compressedSize * ARCHIVE_LIMITS.ratio) budget.denseBytes += entry.size;
  if (
    budget.entries > ARCHIVE_LIMITS.entries ||
    budget.bytes > ARCHIVE_LIMITS.bytes ||
    budget.denseBytes > ARCHIVE_LIMITS.denseBytes
  ) {
    throw corrupt('zip_bomb');
  }
}

/** A relative path with forward slashes that stays inside its root. */
function isPlainName(name: string): boolean {
  if (name === '' || name.startsWith('/') || /^[A-Za-z]:/.test(name)) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no control character has a place in a part's name
  return !/[\\\u0000-\u001f]/.test(name) && !name.split('/').includes('..');
}

/** Returns whether bytes begin like an archive, whatever the entry is called. */
export function isArchive(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 0x03 && head[3] === 0x04;
}
