import { type Lock, type Query, Table } from '../../../src/common/sql/table.ts';
import type { SessionRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';

const SESSIONS = new Table<SessionRecord>(
  'sessions',
  {
    sessionId: 'plain',
    docId: 'plain',
    mode: 'plain',
    requestedMode: 'plain',
    readOnly: 'boolean',
    hasEdited: 'boolean',
    tokenHash: 'plain',
    user: 'json',
    lang: 'plain',
    ui: 'json',
    origin: 'plain',
    createdAt: 'plain',
    expiresAt: 'plain',
    closedAt: 'plain',
  },
  ['sessionId'],
);

const LIVE = 'closed_at IS NULL AND expires_at > ?';
const ORDER = 'ORDER BY created_at, session_id';

/** Sessions, oldest first. One that expires at this very moment is past. */
export function sessionRows(
  query: Query,
  lock: Lock,
): Pick<
  RowsTransaction,
  'session' | 'sessionByToken' | 'liveSessions' | 'endedSessions' | 'putSession' | 'removeSession'
> {
  return {
    session: (sessionId) => SESSIONS.first(query, `WHERE session_id = ? ${lock}`, sessionId),
    sessionByToken: (tokenHash) => SESSIONS.first(query, `WHERE token_hash = ? ${lock}`, tokenHash),
    liveSessions: (now, docId) =>
      docId === undefined
        ? SESSIONS.select(query, `WHERE ${LIVE} ${ORDER}`, now)
        : SESSIONS.select(query, `WHERE ${LIVE} AND doc_id = ? ${ORDER}`, now, docId),
    endedSessions: (before) => SESSIONS.select(query, `WHERE closed_at < ? OR expires_at < ? ${ORDER}`, before, before),
    putSession: (record) => SESSIONS.put(query, record),
    async removeSession(sessionId) {
      await query('DELETE FROM sessions WHERE session_id = ?', [sessionId]);
    },
  };
}
