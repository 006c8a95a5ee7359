import { AppError } from '../../../src/common/errors.ts';
import type { Common } from './common.ts';
import { findCurrent } from './documents.ts';
import type { DocumentRecord, SessionRecord, VersionRecord } from './model.ts';
import type { RowsReader, RowsTransaction } from './ports.ts';
import { getState, hashToken } from './session-token.ts';

export interface OpenFile {
  session: SessionRecord;
  document: DocumentRecord;
  version: VersionRecord;
}

/** The rights to a document, by the access token. A token of another document is an unknown one. */
export type WopiAccess = ReturnType<typeof createWopiAccess>;

export function createWopiAccess({ rows, clock, log }: Pick<Common, 'rows' | 'clock' | 'log'>) {
  const hasEnded = (session: SessionRecord) => getState(session, clock()) !== 'active';

  return {
    /**
     * CheckFileInfo, for an ended session while the document is open: after a failed upload a 401 would cost the
     * changes.
     * @throws {AppError} `invalid_session_token`
     */
    info: (docId: string, token: string | undefined): Promise<OpenFile> =>
      rows.read(async (tx) => {
        const file = await findFile(tx, docId, token);
        if (hasEnded(file.session) && file.document.state === 'closed') throw refused();
        return file;
      }),

    /** GetFile, for an active session; notes the loading. @throws {AppError} `invalid_session_token` */
    async contents(docId: string, token: string | undefined): Promise<VersionRecord> {
      const { session, version } = await rows.read((tx) => findFile(tx, docId, token));
      if (hasEnded(session)) throw refused();
      await rows.transact((tx) => noteLoad(tx, docId, clock()));
      return version;
    },

    /**
     * PutFile, for any session that was ever admitted to edit, ended or not. The 401 of another costs only itself its
     * token.
     * @throws {AppError} `invalid_session_token`; 503 when the editor lost the token of a document that is held
     */
    save: (docId: string, token: string | undefined): Promise<SessionRecord> =>
      rows.read(async (tx) => {
        if (!token && (await tx.document(docId))) {
          // A 401 would make the editor drop the tokens of all who are in the document.
          log.error({ document: docId }, 'the editor sent a save without its token');
          throw new AppError('internal', {}, { status: 503 });
        }
        const { session } = await findFile(tx, docId, token);
        if (session.hasEdited) return session;
        log.warn({ document: docId, session: session.sessionId }, 'a session that may only view tried to save');
        throw refused();
      }),
  };
}

/** Remembers for a day when the editor last fetched a document: what it saves from then on contains nothing older. */
export function noteLoad(tx: RowsTransaction, docId: string, at: number): Promise<void> {
  return tx.remember({ kind: 'loaded', docId, key: '', value: null, at });
}

/** Returns when the editor last fetched a document, epoch milliseconds; null when that is not known. */
export async function getLoadedAt(tx: RowsReader, docId: string): Promise<number | null> {
  return (await tx.remembered({ kind: 'loaded', docId, key: '' }))?.at ?? null;
}

async function findFile(rows: RowsReader, docId: string, token: string | undefined): Promise<OpenFile> {
  const session = token === undefined ? undefined : await rows.sessionByToken(hashToken(token));
  if (!session || session.docId !== docId) throw refused();
  return { session, ...(await findCurrent(rows, docId)) };
}

function refused(): AppError {
  return new AppError('invalid_session_token');
}
