import type { SessionRecord } from '../domain/model.ts';
import type { OpenSession, OpenSessions, RowsTransaction } from '../domain/ports.ts';

type Entry = OpenSession & Pick<SessionRecord, 'tokenHash'>;

/** A copy in memory of the sessions that are not deleted: they are needed whenever an editor opens. */
export interface OpenSessionsCopy extends OpenSessions {
  /** Returns `tables` that note what is done to sessions, and `committed`, which takes that in. */
  follow(tables: RowsTransaction): { tables: RowsTransaction; committed: () => void };
}

/** @param sessions those that are there */
export function copyOpenSessions(sessions: readonly SessionRecord[]): OpenSessionsCopy {
  const byId = new Map<string, Entry>();
  const byToken = new Map<string, Entry>();
  const byDocument = new Map<string, Set<Entry>>();

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

  for (const session of sessions) put(session);
  return {
    byToken: async (tokenHash) => byToken.get(tokenHash),
    byDocument: async (docId) => [...(byDocument.get(docId) ?? [])],

    follow(tables) {
      const done: (() => void)[] = [];
      const noting =
        <Argument>(act: (value: Argument) => Promise<void>, take: (value: Argument) => void) =>
        async (value: Argument): Promise<void> => {
          await act(value);
          done.push(() => take(value));
        };
      return {
        tables: {
          ...tables,
          putSession: noting(tables.putSession, put),
          removeSession: noting(tables.removeSession, remove),
          removeDocument: noting(tables.removeDocument, removeDocument),
        },
        committed() {
          for (const take of done) take();
        },
      };
    },
  };
}
