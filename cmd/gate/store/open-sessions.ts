import type { SessionRecord } from '../domain/model.ts';
import type { OpenSession, OpenSessions, RowsTransaction } from '../domain/ports.ts';

type Entry = OpenSession & Pick<SessionRecord, 'tokenHash'>;

/** A copy of the open sessions in memory, for `/svc/auth`, which a look-up in the rows makes a fifth slower. */
export class OpenSessionsCopy implements OpenSessions {
  readonly #byId = new Map<string, Entry>();
  readonly #byToken = new Map<string, Entry>();
  readonly #byDocument = new Map<string, Set<Entry>>();

  constructor(sessions: readonly SessionRecord[]) {
    for (const session of sessions) this.#put(session);
  }

  async byToken(tokenHash: string): Promise<OpenSession | undefined> {
    return this.#byToken.get(tokenHash);
  }

  async byDocument(docId: string): Promise<OpenSession[]> {
    return [...this.#ofDocument(docId)];
  }

  /** Returns `tables` that note what is done to sessions, and `committed`, which takes that in. */
  follow(tables: RowsTransaction): { tables: RowsTransaction; committed: () => void } {
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
        putSession: noting(tables.putSession, (session) => this.#put(session)),
        removeSession: noting(tables.removeSession, (sessionId) => this.#remove(sessionId)),
        removeDocument: noting(tables.removeDocument, (docId) => {
          for (const { sessionId } of [...this.#ofDocument(docId)]) this.#remove(sessionId);
        }),
      },
      committed() {
        for (const take of done) take();
      },
    };
  }

  #ofDocument(docId: string): ReadonlySet<Entry> {
    return this.#byDocument.get(docId) ?? new Set();
  }

  #remove(sessionId: string): void {
    const entry = this.#byId.get(sessionId);
    if (!entry) return;
    this.#byId.delete(sessionId);
    this.#byToken.delete(entry.tokenHash);
    const others = this.#byDocument.get(entry.docId);
    others?.delete(entry);
    if (others?.size === 0) this.#byDocument.delete(entry.docId);
  }

  #put({ sessionId, docId, mode, expiresAt, tokenHash, closedAt }: SessionRecord): void {
    this.#remove(sessionId);
    if (closedAt !== null) return;
    const entry = { sessionId, docId, mode, expiresAt, tokenHash };
    this.#byId.set(sessionId, entry);
    this.#byToken.set(tokenHash, entry);
    const others = this.#byDocument.get(docId);
    if (others) others.add(entry);
    else this.#byDocument.set(docId, new Set([entry]));
  }
}
