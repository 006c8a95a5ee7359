import type { DatabaseSync } from 'node:sqlite';
import type { SessionRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';
import { type Columns, Table } from './table.ts';

const SESSION: Columns<SessionRecord> = {
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
};

/** Sessions, oldest first. One that expires at this very moment is past. */
export function sessionRows(
  database: DatabaseSync,
): Pick<
  RowsTransaction,
  'session' | 'sessionByToken' | 'liveSessions' | 'endedSessions' | 'putSession' | 'removeSession'
> {
  const sessions = new Table(database, 'sessions', SESSION, ['sessionId']);
  const live = 'closed_at IS NULL AND expires_at > ?';
  const order = 'ORDER BY created_at, session_id';
  const ofAll = sessions.select(`WHERE ${live} ${order}`);
  const ofDocument = sessions.select(`WHERE ${live} AND doc_id = ? ${order}`);
  const ended = sessions.select(`WHERE closed_at < ? OR expires_at < ? ${order}`);
  return {
    session: sessions.first('WHERE session_id = ?'),
    sessionByToken: sessions.first('WHERE token_hash = ?'),
    liveSessions: (now, docId) => (docId === undefined ? ofAll(now) : ofDocument(now, docId)),
    endedSessions: (before) => ended(before, before),
    putSession: (record) => sessions.put(record),
    removeSession: sessions.run('DELETE FROM sessions WHERE session_id = ?'),
  };
}
