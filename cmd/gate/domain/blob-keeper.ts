import type { Readable } from 'node:stream';
import type { VersionRecord } from './model.ts';
import type { Blobs, ByteRange, Rows, RowsTransaction } from './ports.ts';

/** Decides when bytes may go: never while they are being served, or are on their way into a row. */
export interface BlobKeeper {
  /**
   * Runs `work`, which writes bytes and then the row that has them. Until it ends nothing is removed: the bytes may be
   * some that were there already and that no other row has any more.
   */
  writing<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Finds a version and keeps its bytes for as long as `use` takes. */
  serve<Found extends { version: VersionRecord }, Result>(
    find: (rows: RowsTransaction) => Found,
    use: (found: Found, read: (range?: ByteRange) => Readable) => Promise<Result>,
  ): Promise<Result>;
  /** Removes those of the bytes that no version has: now, or once nothing is being written or served. */
  discard(hashes: Iterable<string>): Promise<void>;
  /** The same for all that the store holds: what a crash left. */
  discardOrphans(): Promise<void>;
}

/** Bytes looked at in one go: a save that comes meanwhile waits for them. */
const BATCH = 64;

/** The one keeper of a store: it keeps what it knows to be written and served, not what another would. */
export function createBlobKeeper({ rows, blobs }: { rows: Rows; blobs: Blobs }): BlobKeeper {
  const candidates = new Set<string>();
  const readers = new Map<string, number>();
  /** Found unused while somebody still read them. */
  const postponed = new Set<string>();
  /** Those who write, and those who wait to. */
  let writers = 0;
  let removing: Promise<void> | undefined;

  /** One batch at a time, each in a moment without a writer; those who come to write wait for its end. */
  async function remove(): Promise<void> {
    while (candidates.size > 0 && writers === 0 && !removing) {
      const batch = [...candidates].slice(0, BATCH);
      for (const hash of batch) candidates.delete(hash);
      removing = removeBatch(batch).finally(() => {
        removing = undefined;
      });
      await removing;
    }
  }

  /** In one transaction, so that nobody finds a version with them meanwhile. */
  async function removeBatch(batch: string[]): Promise<void> {
    await rows.transact(async (tx) => {
      for (const hash of batch) {
        if (tx.usesBlob(hash)) continue;
        if (readers.has(hash)) postponed.add(hash);
        else await blobs.remove(hash);
      }
    });
  }

  async function discard(hashes: Iterable<string>): Promise<void> {
    for (const hash of hashes) candidates.add(hash);
    await remove();
  }

  return {
    async writing(work) {
      // Before it waits: after the batch that is being removed no other begins.
      writers += 1;
      try {
        while (removing) await removing.catch(() => {});
        return await work();
      } finally {
        writers -= 1;
        // What fails to go now is an orphan, and found as one later.
        void remove().catch(() => {});
      }
    },

    async serve(find, use) {
      const found = await rows.transact((tx) => {
        const wanted = find(tx);
        const { sha256 } = wanted.version;
        readers.set(sha256, (readers.get(sha256) ?? 0) + 1);
        return wanted;
      });
      const { sha256 } = found.version;
      try {
        return await use(found, (range) => blobs.read(sha256, range));
      } finally {
        const left = (readers.get(sha256) ?? 1) - 1;
        if (left > 0) readers.set(sha256, left);
        else readers.delete(sha256);
        if (left === 0 && postponed.delete(sha256)) void discard([sha256]).catch(() => {});
      }
    },

    discard,
    discardOrphans: async () => discard(await blobs.list()),
  };
}
