import type { Audit } from '../../../src/common/audit.ts';
import { apart, type Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { closedDelivery, type VersionLink } from './callback-body.ts';
import type { DocumentRecord } from './model.ts';
import type { EditorSample, Rows, RowsTransaction } from './ports.ts';

/** Without a view, after which a document is closed (contract: States). */
const QUIET_MS = 30_000;
/** How long a session that nobody has seen yet keeps its document open. */
const PENDING_MS = 60_000;

export interface ClosingDependencies {
  rows: Rows;
  /** Whether a save of a document is under way or owed: `closed` comes after it. */
  saving: (docId: string) => boolean;
  link: VersionLink;
  /** Called when there is a new callback. */
  onDelivery: () => void;
  clock: Clock;
  log: Logger;
  audit: Audit;
}

export interface Closing {
  /**
   * Takes in what the editor says, and closes what has been without a view for long enough. Resolves when what follows
   * from it is on disk.
   */
  observe(sample: EditorSample): Promise<void>;
}

/**
 * Tells when everybody has left a document. Only samples count: without them nobody can say that a document is empty,
 * so after a start, and after a time in which the editor could not be asked, the 30 s begin anew. Nor is anything closed
 * between two of them, when what kept it open ends: somebody may just have come back.
 */
export function createClosing({ rows, saving, link, onDelivery, clock, log, audit }: ClosingDependencies): Closing {
  /** Since when a document has been without a view; no entry: it has one, or nobody knows. */
  const quietSince = new Map<string, number>();
  const lastSeen = new Map<string, number>();
  let sampledAt: number | undefined;

  function takeIn(tx: RowsTransaction, sample: EditorSample): void {
    const viewed = new Set(sample.views.map(({ docId }) => docId));
    for (const docId of viewed) {
      const document = docId === null ? undefined : tx.document(docId);
      if (!document) continue;
      quietSince.delete(document.docId);
      lastSeen.set(document.docId, sample.at);
      if (document.state === 'closed')
        tx.putDocument({ ...document, state: 'open', closedAt: null, lastViewAt: sample.at });
    }
    const open = new Set(tx.documents({ state: 'open' }).map(({ docId }) => docId));
    for (const docId of open) if (!viewed.has(docId) && !quietSince.has(docId)) quietSince.set(docId, sample.at);
    for (const known of [quietSince, lastSeen])
      for (const docId of known.keys()) if (!open.has(docId)) known.delete(docId);
  }

  async function observe(sample: EditorSample): Promise<void> {
    // Somebody may have come and gone where nobody looked, or the clock was set.
    if (sampledAt === undefined || apart(sample.at, sampledAt) > QUIET_MS) {
      quietSince.clear();
      lastSeen.clear();
    }
    sampledAt = sample.at;
    await rows.transact((tx) => takeIn(tx, sample));
    await closeQuiet(sample.at);
  }

  async function closeQuiet(at: number): Promise<void> {
    const now = clock();
    if (apart(now, at) > QUIET_MS) return;
    const candidates = [...quietSince].filter(([, since]) => at - since >= QUIET_MS);
    if (candidates.length === 0) return;
    const closed = await rows.transact((tx) => {
      const ready = candidates.map(([docId]) => tx.document(docId)).filter((document) => document !== undefined);
      return ready.filter((document) => isEmpty(tx, document, at, now)).map((document) => close(tx, document, now));
    });
    for (const { docId, version } of closed) {
      quietSince.delete(docId);
      log.info({ document: docId, version }, 'document closed');
      audit.record('document.closed', { document: docId, version });
    }
    if (closed.length > 0) onDelivery();
  }

  function isEmpty(tx: RowsTransaction, document: DocumentRecord, at: number, now: number): boolean {
    const { docId, state, lastViewAt } = document;
    if (state !== 'open' || saving(docId) || apart(at, lastViewAt) < QUIET_MS) return false;
    const seen = lastSeen.get(docId) ?? 0;
    const isAwaited = ({ createdAt }: { createdAt: number }) => createdAt > seen && apart(now, createdAt) < PENDING_MS;
    return !tx.liveSessions(now, docId).some(isAwaited);
  }

  function close(tx: RowsTransaction, document: DocumentRecord, now: number): DocumentRecord {
    const after: DocumentRecord = { ...document, state: 'closed', closedAt: now };
    tx.putDocument(after);
    const version = tx.version(document.docId, document.version);
    const callback = version && closedDelivery(after, version, { link, now });
    if (callback) tx.addDelivery(callback);
    return after;
  }

  return { observe };
}
