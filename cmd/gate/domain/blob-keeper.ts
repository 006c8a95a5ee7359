import type { Readable } from 'node:stream';
import type { VersionRecord } from './model.ts';
import type { Blobs, ByteRange, Rows, RowsReader } from './ports.ts';

/** The bytes looked at and removed at a time: who brings some of them waits for that. */
const BATCH = 64;

/**
 * Decides when stored bytes are removed: never while they are being served, or a row is about to refer to them. There is
 * one keeper for a store, since it knows only its own users.
 */
export class BlobKeeper {
  readonly #rows: Rows;
  readonly #blobs: Blobs;
  readonly #candidates = new Set<string>();
  /** The number of those that serve or store them. */
  readonly #users = new Map<string, number>();
  /** Those that look for a version, whose bytes nobody knows yet. */
  readonly #finding = new Set<Promise<unknown>>();
  /** Wanted by nobody but their users. */
  readonly #postponed = new Set<string>();
  #removing: { batch: ReadonlySet<string>; end: Promise<void> } | undefined;

  constructor({ rows, blobs }: { rows: Rows; blobs: Blobs }) {
    this.#rows = rows;
    this.#blobs = blobs;
  }

  /**
   * Runs `work`, which puts bytes in their place and then adds the row that refers to them. Until it ends they are not
   * removed: they may have been there already, with no other row.
   */
  async hold<Result>(sha256: string, work: () => Promise<Result>): Promise<Result> {
    this.#use(sha256);
    try {
      // No later batch takes them.
      if (this.#removing?.batch.has(sha256)) await this.#removing.end.catch(() => {});
      return await work();
    } finally {
      this.#release(sha256);
    }
  }

  /** Finds a version and keeps its bytes for as long as `use` takes. */
  async serve<Found extends { version: VersionRecord }, Result>(
    find: (rows: RowsReader) => Promise<Found>,
    use: (found: Found, read: (range?: ByteRange) => Readable) => Promise<Result>,
  ): Promise<Result> {
    const finding = this.#find(find);
    this.#finding.add(finding);
    const found = await finding.finally(() => this.#finding.delete(finding));
    const { sha256 } = found.version;
    try {
      return await use(found, (range) => this.#blobs.read(sha256, range));
    } finally {
      this.#release(sha256);
    }
  }

  async #find<Found extends { version: VersionRecord }>(find: (rows: RowsReader) => Promise<Found>): Promise<Found> {
    const found = await this.#rows.read(find);
    this.#use(found.version.sha256);
    return found;
  }

  /** Removes those of the bytes that no version has: now, or once they are no longer stored or served. */
  async discard(hashes: Iterable<string>): Promise<void> {
    for (const hash of hashes) this.#candidates.add(hash);
    while (this.#candidates.size > 0 && !this.#removing) {
      const batch = new Set([...this.#candidates].slice(0, BATCH));
      for (const hash of batch) this.#candidates.delete(hash);
      const end = this.#remove(batch).finally(() => {
        this.#removing = undefined;
      });
      this.#removing = { batch, end };
      await end;
    }
  }

  /** Does the same for all that is stored: a crash leaves bytes without a row. */
  async discardOrphans(): Promise<void> {
    await this.discard(await this.#blobs.list());
  }

  /** Removes a batch. Who is about to add a row with some of it is a user of it already, or waits for the end of this. */
  async #remove(batch: ReadonlySet<string>): Promise<void> {
    const idle = [...batch].filter((hash) => !this.#postpone(hash));
    const unused = await this.#rows.read(async (tx) => {
      const found: string[] = [];
      for (const hash of idle) if (!(await tx.usesBlob(hash))) found.push(hash);
      return found;
    });
    // They may have found a version that has gone since.
    await Promise.allSettled(this.#finding);
    for (const hash of unused) if (!this.#postpone(hash)) await this.#blobs.remove(hash);
  }

  /** Puts off the removal of bytes that have users. */
  #postpone(hash: string): boolean {
    const hasUsers = this.#users.has(hash);
    if (hasUsers) this.#postponed.add(hash);
    return hasUsers;
  }

  #use(hash: string): void {
    this.#users.set(hash, (this.#users.get(hash) ?? 0) + 1);
  }

  #release(hash: string): void {
    const left = (this.#users.get(hash) ?? 1) - 1;
    if (left > 0) this.#users.set(hash, left);
    else this.#users.delete(hash);
    // Bytes that cannot be removed now are orphans, and removed later as such.
    if (left === 0 && this.#postponed.delete(hash)) void this.discard([hash]).catch(() => {});
  }
}
