import { setImmediate } from 'node:timers/promises';
import { inBatches } from '../../../src/common/batches.ts';
import { repeat } from '../../../src/common/repeat.ts';
import type { Common } from './common.ts';
import type { Duty } from './leadership.ts';
import type { Blobs, ClosedDocument, RowsTransaction } from './ports.ts';
import type { Presence } from './presence.ts';

const SWEEP_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The time for which gates remember what they stored, and what the editor loaded. */
const MEMORY_MS = 24 * HOUR_MS;
/** Longer than any request (600 s): reads of a version and uploads have ended by then. */
const GRACE_MS = 15 * 60_000;
/** The documents, and the blobs, looked at in one transaction: others wait meanwhile. */
const BATCH = 64;

interface Dependencies extends Pick<Common, 'rows' | 'isSaving' | 'clock' | 'log'> {
  blobs: Pick<Blobs, 'remove' | 'list'>;
  presence: Pick<Presence, 'hasLeft'>;
  retainHours: number;
}

/**
 * Removes what `SVC_EMBED_RETAIN_HOURS` has kept: closed documents with versions and sessions, and ended callbacks. A
 * document stays while it has callbacks, whose links lead to it, or unsaved edits. An ended session stays until the
 * editor has not listed it for a while: its save may still come. Bytes go a while after their last row.
 */
export class Cleaning implements Duty {
  readonly #deps: Dependencies;
  #stop: () => Promise<unknown> = async () => {};
  #isStopped = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Sweeps now, also after a crash, and then every minute until `stop`. */
  start(): void {
    this.#isStopped = false;
    // Bytes are removed even when the sweep finds no room for its transaction on a full disk.
    const first = this.#reported(this.sweep()).then(() => this.#reported(this.sweepOrphans()));
    const stop = repeat(SWEEP_MS, async () => {
      await first;
      await this.#reported(this.sweep());
      await this.#reported(this.sweepBytes());
    });
    this.#stop = () => Promise.all([first, stop()]);
  }

  /** Ends it. Each step under way still does its first batch: a gate that is stopped again and again cleans, too. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#stop();
  }

  async sweep(): Promise<void> {
    const { rows, clock, retainHours } = this.#deps;
    const before = clock() - retainHours * HOUR_MS;
    await this.#removeSessions(before);
    await rows.transact(async (tx) => {
      await tx.removeDeliveriesBefore(before);
      await tx.forgetBefore(clock() - MEMORY_MS);
    });
    const next = (last?: ClosedDocument) => rows.read((tx) => tx.closedDocuments(before, BATCH, last));
    for (let past = await next(); past.length > 0; past = await next(past.at(-1))) {
      await rows.transact(async (tx) => {
        for (const { docId } of past) await this.#removeDocument(tx, docId, before);
      });
      if (this.#isStopped) return;
      // SQLite answers within one turn of the event loop, all steps together.
      await setImmediate();
    }
  }

  /** Removes bytes that have been noted for long enough, and those of uploads that came to nothing. */
  async sweepBytes(): Promise<void> {
    const { rows, blobs, clock } = this.#deps;
    const before = clock() - GRACE_MS;
    await rows.transact(async (tx) => {
      for (const blob of await tx.removeUploadsBefore(before)) await tx.addRemoval(blob, before);
    });
    for (;;) {
      const due = await rows.read((tx) => tx.blobsToRemove(before, BATCH));
      if (due.length === 0) return;
      // When the answer to a commit was lost, there is a version of an upload that counts as failed.
      const used = await rows.read((tx) => tx.usedBlobs(due));
      for (const blob of due) if (!used.includes(blob)) await blobs.remove(blob);
      await rows.transact(async (tx) => {
        for (const blob of due) await tx.endRemoval(blob);
      });
      if (this.#isStopped) return;
    }
  }

  /** Removes bytes that no row names, where the store lists its bytes: a crash leaves some. */
  async sweepOrphans(): Promise<void> {
    const { rows, blobs } = this.#deps;
    const names = (await blobs.list?.()) ?? [];
    for (const batch of inBatches(names, BATCH)) {
      if (this.#isStopped) return;
      const known = await rows.read((tx) => tx.knownBlobs(batch));
      for (const blob of batch) if (!known.includes(blob)) await blobs.remove(blob);
    }
  }

  async #removeDocument(tx: RowsTransaction, docId: string, before: number): Promise<void> {
    const { clock, isSaving } = this.#deps;
    // Somebody may have opened it meanwhile; from now on nobody can.
    const document = await tx.document(docId);
    if (document?.state !== 'closed' || (document.closedAt ?? before) > before) return;
    const versions = await tx.versions(docId);
    const hasUnsaved = (await tx.allUnsaved({ docId })).length > 0;
    if (hasUnsaved || (await tx.hasDeliveries(docId)) || (await isSaving(docId, tx))) return;
    await tx.removeDocument(docId);
    for (const { blob } of versions) await tx.addRemoval(blob, clock());
  }

  async #removeSessions(before: number): Promise<void> {
    const { rows, presence, isSaving } = this.#deps;
    const ended = await rows.read((tx) => tx.endedSessions(before));
    const left = ended.filter(({ sessionId }) => presence.hasLeft(sessionId));
    for (const batch of inBatches(left, BATCH)) {
      await rows.transact(async (tx) => {
        for (const { sessionId, docId } of batch) if (!(await isSaving(docId, tx))) await tx.removeSession(sessionId);
      });
      if (this.#isStopped) return;
      await setImmediate();
    }
  }

  async #reported(work: Promise<void>): Promise<void> {
    await work.catch((error) => this.#deps.log.error({ err: error }, 'expired data could not be removed'));
  }
}
