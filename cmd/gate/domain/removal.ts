import type { Clock } from '../../../src/common/clock.ts';
import type { VersionRecord } from './model.ts';
import type { Blobs, Rows, RowsTransaction } from './ports.ts';

/** Longer than the 600 s that any request may take: who has found a version can read it, and any upload has ended. */
const GRACE_MS = 15 * 60_000;
/** The blobs looked at in one transaction. */
const BATCH = 64;

/** Removes bytes that no version has. */
export interface Removal {
  /** Removes those that have been noted for long enough, and those of uploads that came to nothing. */
  sweep(): Promise<void>;
  /** Removes those that no row names, where the store lists its bytes: a crash leaves some. */
  sweepOrphans(): Promise<void>;
}

export function createRemoval({ rows, blobs, clock }: { rows: Rows; blobs: Blobs; clock: Clock }): Removal {
  return {
    async sweep() {
      const before = clock() - GRACE_MS;
      await rows.transact(async (tx) => {
        for (const blob of await tx.removeUploadsBefore(before)) await tx.addRemoval(blob, before);
      });
      for (;;) {
        const due = await rows.read((tx) => tx.blobsToRemove(before, BATCH));
        if (due.length === 0) return;
        const unused = await rows.read((tx) => withoutUsed(tx, due));
        for (const blob of unused) await blobs.remove(blob);
        await rows.transact(async (tx) => {
          for (const blob of due) await tx.endRemoval(blob);
        });
      }
    },

    async sweepOrphans() {
      const names = (await blobs.list?.()) ?? [];
      for (let start = 0; start < names.length; start += BATCH) {
        const batch = names.slice(start, start + BATCH);
        const known = new Set(await rows.read((tx) => tx.knownBlobs(batch)));
        for (const blob of batch) if (!known.has(blob)) await blobs.remove(blob);
      }
    },
  };
}

/** Notes the bytes of versions for removal, as part of the transaction in which the versions go. */
export async function noteRemoval(
  tx: RowsTransaction,
  versions: readonly Pick<VersionRecord, 'blob'>[],
  now: number,
): Promise<void> {
  for (const { blob } of versions) await tx.addRemoval(blob, now);
}

/** Names that were hashes are shared by versions with the same bytes. */
async function withoutUsed(tx: { usesBlob(blob: string): Promise<boolean> }, blobs: readonly string[]) {
  const unused: string[] = [];
  for (const blob of blobs) if (!(await tx.usesBlob(blob))) unused.push(blob);
  return unused;
}
