import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { repeat } from '../../../src/common/repeat.ts';
import type { EditorSample, Rows, RowsReader, RowsTransaction } from './ports.ts';
import { noteRemoval, type Removal } from './removal.ts';

const SWEEP_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The time for which gates remember what they stored, and what the editor loaded. */
const MEMORY_MS = 24 * HOUR_MS;

export interface CleaningDependencies {
  rows: Rows;
  removal: Removal;
  /** The last good sample; undefined before the first. */
  sample: () => EditorSample | undefined;
  /** Returns whether a save of a document is under way or unresolved. */
  isSaving: (docId: string, tx: RowsReader) => Promise<boolean>;
  /** Returns whether there is an edit of a document that may yet become a version. */
  hasUnsaved: (docId: string, tx: RowsReader) => Promise<boolean>;
  retainHours: number;
  clock: Clock;
  log: Logger;
}

export interface Cleaning {
  /** Removes expired data. */
  sweep(): Promise<void>;
  /** Sweeps now, for what a crash left too, and then every minute until `stop`. */
  start(): void;
  stop(): void;
}

/**
 * Removes what was kept for `SVC_EMBED_RETAIN_HOURS`: closed documents with their versions and sessions, and callbacks
 * that ended. A document stays as long as a callback of it does: links in callbacks lead to it. A session that ended
 * stays as long as the editor lists it: its save may still come.
 */
export function createCleaning({
  rows,
  removal,
  sample,
  isSaving,
  hasUnsaved,
  retainHours,
  clock,
  log,
}: CleaningDependencies): Cleaning {
  let stop = (): void => {};

  async function removeDocuments(tx: RowsTransaction, before: number): Promise<void> {
    const closed = await tx.documents({ state: 'closed' });
    const past = closed.filter(({ closedAt }) => closedAt !== null && closedAt <= before);
    for (const { docId } of past) {
      // Somebody may have opened it meanwhile; from now on nobody can.
      const document = await tx.document(docId);
      if (document?.state !== 'closed' || (document.closedAt ?? before) > before) continue;
      const versions = await tx.versions(docId);
      const isNeeded = (await tx.hasDeliveries(docId)) || (await isSaving(docId, tx)) || (await hasUnsaved(docId, tx));
      if (isNeeded) continue;
      await tx.removeDocument(docId);
      await noteRemoval(tx, versions, clock());
    }
  }

  async function removeSessions(tx: RowsTransaction, before: number): Promise<void> {
    const listed = sample();
    if (!listed) return;
    const viewers = new Set(listed.views.map(({ userId }) => userId));
    for (const { sessionId } of await tx.endedSessions(before))
      if (!viewers.has(sessionId)) await tx.removeSession(sessionId);
  }

  async function sweep(): Promise<void> {
    const before = clock() - retainHours * HOUR_MS;
    await rows.transact(async (tx) => {
      await removeSessions(tx, before);
      await tx.removeDeliveriesBefore(before);
      await tx.forgetBefore(clock() - MEMORY_MS);
      await removeDocuments(tx, before);
    });
  }

  async function reported(work: Promise<void>): Promise<void> {
    await work.catch((error) => log.error({ err: error }, 'expired data could not be removed'));
  }

  return {
    sweep,
    start: () => {
      // Bytes are removed even when the sweep finds no room for its transaction on a full disk.
      void reported(sweep()).then(() => reported(removal.sweepOrphans()));
      stop = repeat(SWEEP_MS, async () => {
        await reported(sweep());
        await reported(removal.sweep());
      });
    },
    stop: () => stop(),
  };
}
