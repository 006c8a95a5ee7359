import type { Readable } from 'node:stream';
import type { VersionRecord } from './model.ts';
import type { Blobs, ByteRange, Rows, RowsTransaction } from './ports.ts';

/** The bytes looked at in one transaction: others wait for it. */
const BATCH = 64;

/**
 * Decides when stored bytes are removed: never while they are being served, or a row is about to refer to them. There is
 * one keeper for a store, since it knows only its own users.
 */
export class BlobKeeper {
  readonly #rows: Rows;
  readonly #blobs: Blobs;
  readonly #candidates = new Set<string>();
  /** How many serve or store them. */
  readonly #users = new Map<string, number>();
  /** Found unused by rows while they had users. */
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
    find: (rows: RowsTransaction) => Promise<Found>,
    use: (found: Found, read: (range?: ByteRange) => Readable) => Promise<Result>,
  ): Promise<Result> {
    const found = await this.#rows.transact(async (tx) => {
      const wanted = await find(tx);
      this.#use(wanted.version.sha256);
      return wanted;
    });
    const { sha256 } = found.version;
    try {
      return await use(found, (range) => this.#blobs.read(sha256, range));
    } finally {
      this.#release(sha256);
    }
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

  /** Removes a batch in one transaction, so that nobody finds a version with them meanwhile. */
  async #remove(batch: Iterable<string>): Promise<void> {
    await this.#rows.transact(async (tx) => {
      for (const hash of batch) {
        if (await tx.usesBlob(hash)) continue;
        if (this.#users.has(hash)) this.#postponed.add(hash);
        else await this.#blobs.remove(hash);
      }
    });
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
