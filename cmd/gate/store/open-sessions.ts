import type { SessionRecord } from '../domain/model.ts';
import type { OpenSession, OpenSessions, RowsTransaction } from '../domain/ports.ts';

type Entry = OpenSession & Pick<SessionRecord, 'tokenHash'>;

/** A copy in memory of some rows, which follows them transaction by transaction. */
export interface Following {
  openSessions: OpenSessions;
  /** `tables`, which note what is done to sessions. */
  tables: RowsTransaction;
  /** Takes in what was done since the last end of a transaction. */
  committed(): void;
  /** Forgets it. */
  rolledBack(): void;
}

/** Keeps the sessions that are not deleted in memory: they are needed whenever an editor opens. */
export function followOpenSessions(tables: RowsTransaction): Following {
  const byId = new Map<string, Entry>();
  const byToken = new Map<string, Entry>();
  const byDocument = new Map<string, Set<Entry>>();
  let done: (() => void)[] = [];

  function remove(sessionId: string): void {
    const entry = byId.get(sessionId);
    if (!entry) return;
    byId.delete(sessionId);
    byToken.delete(entry.tokenHash);
    const ofDocument = byDocument.get(entry.docId);
    ofDocument?.delete(entry);
    if (ofDocument?.size === 0) byDocument.delete(entry.docId);
  }

  function put({ sessionId, docId, mode, expiresAt, tokenHash, closedAt }: SessionRecord): void {
    remove(sessionId);
    if (closedAt !== null) return;
    const entry = { sessionId, docId, mode, expiresAt, tokenHash };
    byId.set(sessionId, entry);
    byToken.set(tokenHash, entry);
    byDocument.set(docId, (byDocument.get(docId) ?? new Set()).add(entry));
  }

  function removeDocument(docId: string): void {
    for (const { sessionId } of byDocument.get(docId) ?? []) remove(sessionId);
  }

  /** @param follow what to do once the transaction is over */
  function noting<Value>(act: (value: Value) => void, follow: (value: Value) => void): (value: Value) => void {
    return (value) => {
      act(value);
      done.push(() => follow(value));
    };
  }

  // All of them: no moment is before the beginning of time.
  for (const session of tables.liveSessions(0)) put(session);
  return {
    openSessions: {
      byToken: (tokenHash) => byToken.get(tokenHash),
      byDocument: (docId) => [...(byDocument.get(docId) ?? [])],
    },
    tables: {
      ...tables,
      putSession: noting(tables.putSession, put),
      removeSession: noting(tables.removeSession, remove),
      removeDocument: noting(tables.removeDocument, removeDocument),
    },
    committed() {
      for (const follow of done) follow();
      done = [];
    },
    rolledBack() {
      done = [];
    },
  };
}
