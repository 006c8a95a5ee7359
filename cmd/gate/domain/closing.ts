import { setImmediate } from 'node:timers/promises';
import { inBatches } from '../../../src/common/batches.ts';
import { apart } from '../../../src/common/clock.ts';
import { createDelivery } from './callback-body.ts';
import type { Common } from './common.ts';
import { PENDING_MS } from './counting.ts';
import type { Duty } from './leadership.ts';
import type { DocumentRecord } from './model.ts';
import type { EditorSample, RowsTransaction } from './ports.ts';

/** The time without a view after which a document is closed (contract: States). */
const QUIET_MS = 30_000;
/** The documents closed in one transaction: others wait meanwhile, and all may be left at once. */
const BATCH = 64;

interface Dependencies extends Pick<Common, 'rows' | 'isSaving' | 'links' | 'onDelivery' | 'clock' | 'log' | 'audit'> {
  /** Returns whether this gate is still the one that closes; by default there is no other. */
  leads?: (() => boolean) | undefined;
}

interface Seen {
  at: number;
  /** The documents with a view. */
  viewed: ReadonlySet<string>;
}

/**
 * Closes documents without a view for 30 s. Only samples count: the 30 s begin anew after a start, and after a time
 * without samples. It closes only when a sample arrives: between two, somebody may have come back.
 */
export class Closing implements Duty {
  readonly #deps: Dependencies;
  /** The time since which a document has had no view. A document with a view, or an unknown number of them, has no entry. */
  readonly #quietSince = new Map<string, number>();
  readonly #lastSeen = new Map<string, number>();
  #newest: Seen | undefined;
  #work: Promise<void> | undefined;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Forgets the samples: another gate may have led since. */
  start(): void {
    this.#quietSince.clear();
    this.#lastSeen.clear();
  }

  /** Resolves when nothing of it goes on. */
  async stop(): Promise<void> {
    await this.#work;
  }

  /**
   * Takes in a sample at once. Rows follow, those of a sample that comes meanwhile after that: thousands of documents
   * may be left at the same time.
   */
  observe({ at, views }: EditorSample): void {
    // Somebody may have come and gone between two samples, or the clock was set.
    if (this.#newest === undefined || apart(at, this.#newest.at) > QUIET_MS) this.start();
    const viewed = new Set(views.flatMap(({ docId }) => docId ?? []));
    for (const docId of viewed) {
      this.#quietSince.delete(docId);
      this.#lastSeen.set(docId, at);
    }
    this.#newest = { at, viewed };
    this.#work ??= this.#follow().finally(() => {
      this.#work = undefined;
    });
  }

  /** Updates the open documents, and closes those without a view for long enough. */
  async #follow(): Promise<void> {
    for (let last: Seen | undefined; this.#newest && this.#newest !== last; ) {
      last = this.#newest;
      try {
        await this.#update(last);
        await this.#closeQuiet(last.at);
      } catch (error) {
        this.#deps.log.error({ err: error }, 'a sample could not be written down');
      }
    }
  }

  async #update(seen: Seen): Promise<void> {
    const { at, viewed } = seen;
    const { rows } = this.#deps;
    const open = new Set(await rows.read((tx) => tx.openDocuments()));
    // A document that stays open is not found by its id: the lock would hold up its saves.
    const others = [...viewed].filter((docId) => !open.has(docId));
    for (const batch of inBatches(others, BATCH)) {
      if (this.#isLate(at)) break;
      await rows.transact(async (tx) => {
        for (const docId of batch) if (await reopen(tx, docId, at)) open.add(docId);
      });
    }
    const newest = this.#newest ?? seen;
    for (const docId of open)
      if (!newest.viewed.has(docId) && !this.#quietSince.has(docId)) this.#quietSince.set(docId, newest.at);
    for (const known of [this.#quietSince, this.#lastSeen])
      for (const docId of known.keys()) if (!open.has(docId)) known.delete(docId);
  }

  async #closeQuiet(at: number): Promise<void> {
    const candidates = [...this.#quietSince].filter(([, since]) => at - since >= QUIET_MS).map(([docId]) => docId);
    for (const batch of inBatches(candidates, BATCH)) {
      if (this.#isLate(at)) return;
      await this.#closeEmpty(batch, at);
      // SQLite answers within one turn of the event loop, all of them together.
      await setImmediate();
    }
  }

  /** Returns whether a sample says too little about now, or another gate closes. */
  #isLate(at: number): boolean {
    const { leads = () => true, clock } = this.#deps;
    return !leads() || apart(clock(), at) > QUIET_MS;
  }

  async #closeEmpty(candidates: readonly string[], at: number): Promise<void> {
    const { rows, onDelivery, clock, log, audit } = this.#deps;
    const now = clock();
    const closed = await rows
      .transact(async (tx) => {
        const done: DocumentRecord[] = [];
        for (const docId of candidates) {
          // A sample that came meanwhile lists a view of it.
          if (!this.#quietSince.has(docId)) continue;
          const document = await tx.document(docId);
          if (!document || !(await this.#isEmpty(tx, document, at, now))) continue;
          await this.#close(tx, document, now);
          done.push(document);
        }
        return done;
      })
      // After a failure too: the answer to a commit may have been lost.
      .finally(onDelivery);
    for (const { docId, version } of closed) {
      this.#quietSince.delete(docId);
      log.info({ document: docId, version }, 'document closed');
      audit.record('document.closed', { document: docId, version });
    }
  }

  async #isEmpty(tx: RowsTransaction, document: DocumentRecord, at: number, now: number): Promise<boolean> {
    const { docId, state, lastViewAt } = document;
    if (state !== 'open' || apart(at, lastViewAt) < QUIET_MS || (await this.#deps.isSaving(docId, tx))) return false;
    const seen = this.#lastSeen.get(docId) ?? 0;
    const isAwaited = ({ createdAt }: { createdAt: number }) => createdAt > seen && apart(now, createdAt) < PENDING_MS;
    return !(await tx.liveSessions(now, docId)).some(isAwaited);
  }

  async #close(tx: RowsTransaction, document: DocumentRecord, now: number): Promise<void> {
    await tx.putDocument({ ...document, state: 'closed', closedAt: now });
    const version = await tx.version(document.docId, document.version);
    const { links } = this.#deps;
    const callback = version && createDelivery('closed', document, version, { users: [], links, now });
    if (callback) await tx.addDelivery(callback);
  }
}

/** Opens a document again that the editor lists. @returns whether it is there */
async function reopen(tx: RowsTransaction, docId: string, at: number): Promise<boolean> {
  const document = await tx.document(docId);
  if (document?.state === 'closed')
    await tx.putDocument({ ...document, state: 'open', closedAt: null, lastViewAt: at });
  return document !== undefined;
}
