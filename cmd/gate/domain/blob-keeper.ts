import type { Readable } from 'node:stream';
import type { VersionRecord } from './model.ts';
import type { Blobs, ByteRange, Claim, Rows, RowsTransaction } from './ports.ts';

/** Decides when bytes may go: never while they are being served, or are on their way into a row. */
export interface BlobKeeper {
  /**
   * Runs `work`, which writes bytes and then the row that has them. What it claims before that stays until it ends: the
   * bytes may be some that were there already and that no other row has any more.
   */
  writing<Result>(work: (claim: Claim) => Promise<Result>): Promise<Result>;
  /** Finds a version and keeps its bytes for as long as `use` takes. */
  serve<Found extends { version: VersionRecord }, Result>(
    find: (rows: RowsTransaction) => Found,
    use: (found: Found, read: (range?: ByteRange) => Readable) => Promise<Result>,
  ): Promise<Result>;
  /** Removes those of the bytes that no version has: now, or once they are no longer written or served. */
  discard(hashes: Iterable<string>): Promise<void>;
  /** The same for all that the store holds: what a crash left. */
  discardOrphans(): Promise<void>;
}

/** Bytes looked at in one go: transactions that come meanwhile wait for them. */
const BATCH = 64;

/** The one keeper of a store: it keeps what it knows to be written and served, not what another would. */
export function createBlobKeeper({ rows, blobs }: { rows: Rows; blobs: Blobs }): BlobKeeper {
  const candidates = new Set<string>();
  /** How many read or write them. */
  const users = new Map<string, number>();
  /** Found unused while somebody still read or wrote them. */
  const postponed = new Set<string>();
  let removing: { batch: ReadonlySet<string>; end: Promise<void> } | undefined;

  function use(hash: string): void {
    users.set(hash, (users.get(hash) ?? 0) + 1);
  }

  function release(hash: string): void {
    const left = (users.get(hash) ?? 1) - 1;
    if (left > 0) users.set(hash, left);
    else users.delete(hash);
    // What fails to go now is an orphan, and found as one later.
    if (left === 0 && postponed.delete(hash)) void discard([hash]).catch(() => {});
  }

  /** One batch after the other. */
  async function remove(): Promise<void> {
    while (candidates.size > 0 && !removing) {
      const batch = new Set([...candidates].slice(0, BATCH));
      for (const hash of batch) candidates.delete(hash);
      const end = removeBatch(batch).finally(() => {
        removing = undefined;
      });
      removing = { batch, end };
      await end;
    }
  }

  /** In one transaction, so that nobody finds a version with them meanwhile. */
  async function removeBatch(batch: Iterable<string>): Promise<void> {
    await rows.transact(async (tx) => {
      for (const hash of batch) {
        if (tx.usesBlob(hash)) continue;
        if (users.has(hash)) postponed.add(hash);
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
      const claimed: string[] = [];
      try {
        return await work(async (hash) => {
          claimed.push(hash);
          // Before it waits: after this batch no other takes them.
          use(hash);
          if (removing?.batch.has(hash)) await removing.end.catch(() => {});
        });
      } finally {
        for (const hash of claimed) release(hash);
      }
    },

    async serve(find, work) {
      const found = await rows.transact((tx) => {
        const wanted = find(tx);
        use(wanted.version.sha256);
        return wanted;
      });
      const { sha256 } = found.version;
      try {
        return await work(found, (range) => blobs.read(sha256, range));
      } finally {
        release(sha256);
      }
    },

    discard,
    discardOrphans: async () => discard(await blobs.list()),
  };
}
