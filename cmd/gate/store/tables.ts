import { keepKey, type Query } from '../../../src/common/sql/query.ts';
import {
  type DeliveryRecord,
  type DocumentRecord,
  type MemoryRecord,
  type SessionRecord,
  type UnsavedRecord,
  UPLOAD_STATES,
  type UploadRecord,
  type VersionRecord,
} from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';
import { type Lock, placeholders, plain, Table } from './table.ts';

const DOCUMENTS = new Table<DocumentRecord>(
  'documents',
  {
    ...plain('docId', 'key', 'fileType', 'title', 'state', 'version'),
    ...plain('createdAt', 'lastViewAt', 'closedAt', 'callbackUrl', 'baseUrl'),
  },
  ['docId'],
);
const VERSIONS = new Table<VersionRecord>(
  'versions',
  {
    ...plain('docId', 'version', 'blob', 'sha256', 'size', 'savedAt', 'nonce'),
    ...{ savedBy: 'json', autosave: 'boolean', final: 'boolean', modifiedByUser: 'boolean' },
  },
  ['docId', 'version'],
);
const SESSIONS = new Table<SessionRecord>(
  'sessions',
  {
    ...plain('sessionId', 'docId', 'mode', 'requestedMode', 'tokenHash'),
    ...plain('lang', 'origin', 'createdAt', 'expiresAt', 'closedAt'),
    ...{ readOnly: 'boolean', hasEdited: 'boolean', user: 'json', ui: 'json' },
  },
  ['sessionId'],
);
const DELIVERIES = new Table<DeliveryRecord>(
  'deliveries',
  {
    ...plain('id', 'delivery', 'docId', 'key', 'event', 'version', 'url', 'body'),
    ...plain('state', 'attempts', 'nextAttemptAt', 'lastStatus', 'endedAt'),
  },
  ['id'],
);
const UPLOADS = new Table<UploadRecord>('uploads', plain('blob', 'docId', 'gate', 'state', 'seenAt'), ['blob']);
const UNSAVED = new Table<UnsavedRecord>('unsaved', plain('id', 'docId', 'pid', 'at', 'blob', 'sha256', 'size'), [
  'id',
]);
const MEMORIES = new Table<MemoryRecord>('memories', plain('kind', 'docId', 'key', 'value', 'at'), [
  'kind',
  'docId',
  'key',
]);

/** The tables whose rows keep blobs, and all that name them. */
const KEEPING = ['versions', 'unsaved'];
const NAMING = [...KEEPING, 'uploads', 'removals'];
const LIVE = 'closed_at IS NULL AND expires_at > ?';

type Some = Partial<RowsTransaction>;

/** Reads and changes the rows of any SQL database. Lists are sorted oldest first. */
export function createTables(query: Query, lock: Lock = ''): RowsTransaction {
  return {
    ...documentRows(query, lock),
    ...sessionRows(query, lock),
    ...deliveryRows(query, lock),
    ...uploadRows(query),
    ...removalRows(query),
    ...memoryRows(query),
  };
}

/** Documents and their versions, which go with their document, as sessions do (see the migrations). */
function documentRows(query: Query, lock: Lock) {
  return {
    document: (docId) => DOCUMENTS.first(query, `WHERE doc_id = ? ${lock}`, docId),
    documentByKey: (key) => DOCUMENTS.first(query, `WHERE key = ? ${lock}`, key),
    documents: () => DOCUMENTS.select(query, 'ORDER BY created_at, doc_id'),
    openDocuments: () => names(query, `SELECT doc_id FROM documents WHERE state = 'open'`, []),
    closedDocuments(closedBefore, limit, { closedAt, docId } = { closedAt: -1, docId: '' }) {
      const which = `WHERE state = 'closed' AND closed_at <= ? AND (closed_at, doc_id) > (?, ?)`;
      const rest = `${which} ORDER BY closed_at, doc_id LIMIT ?`;
      return DOCUMENTS.select(query, rest, closedBefore, closedAt, docId, limit);
    },
    putDocument: (record) => DOCUMENTS.put(query, record),
    async removeDocument(docId) {
      await query('DELETE FROM documents WHERE doc_id = ?', [docId]);
    },
    version: (docId, version) => VERSIONS.first(query, 'WHERE doc_id = ? AND version = ?', docId, version),
    versions: (docId) => VERSIONS.select(query, 'WHERE doc_id = ? ORDER BY version', docId),
    putVersion: (record) => VERSIONS.put(query, record),
    async removeVersion(docId, version) {
      await query('DELETE FROM versions WHERE doc_id = ? AND version = ?', [docId, version]);
    },
  } satisfies Some;
}

/** A session that expires at this very moment is past. */
function sessionRows(query: Query, lock: Lock) {
  const order = 'ORDER BY created_at, session_id';
  return {
    session: (sessionId) => SESSIONS.first(query, `WHERE session_id = ? ${lock}`, sessionId),
    sessionsById: (ids) => SESSIONS.select(query, `WHERE session_id IN (${placeholders(ids)})`, ...ids),
    sessionByToken: (tokenHash) => SESSIONS.first(query, `WHERE token_hash = ? ${lock}`, tokenHash),
    liveSessions: (now, docId) =>
      docId === undefined
        ? SESSIONS.select(query, `WHERE ${LIVE} ${order}`, now)
        : SESSIONS.select(query, `WHERE ${LIVE} AND doc_id = ? ${order}`, now, docId),
    async endedSessions(before) {
      const which = 'closed_at < ? OR (closed_at IS NULL AND expires_at < ?)';
      const rows = await query(`SELECT session_id, doc_id FROM sessions WHERE ${which}`, [before, before]);
      return rows.map(([sessionId, docId]) => ({ sessionId: String(sessionId), docId: String(docId) }));
    },
    sessions: () => SESSIONS.select(query, order),
    countOpen: async (now) => ({
      documents: await count(query, `documents WHERE state = 'open'`),
      sessions: await count(query, `sessions WHERE ${LIVE}`, now),
    }),
    putSession: (record) => SESSIONS.put(query, record),
    async removeSession(sessionId) {
      await query('DELETE FROM sessions WHERE session_id = ?', [sessionId]);
    },
  } satisfies Some;
}

function deliveryRows(query: Query, lock: Lock) {
  return {
    addDelivery: async (delivery) => ({ ...delivery, id: await DELIVERIES.insert(query, delivery) }),
    delivery: (id) => DELIVERIES.first(query, `WHERE id = ? ${lock}`, id),
    putDelivery: (record) => DELIVERIES.put(query, record),
    dueDeliveries: () =>
      DELIVERIES.select(
        query,
        `WHERE id IN (SELECT min(id) FROM deliveries WHERE state = 'pending' GROUP BY doc_id) ORDER BY id`,
      ),
    deliveries: () => DELIVERIES.select(query, 'ORDER BY id'),
    pendingDeliveries: () => count(query, `deliveries WHERE state = 'pending'`),
    async hasDeliveries(docId) {
      return (await query('SELECT 1 FROM deliveries WHERE doc_id = ? LIMIT 1', [docId])).length > 0;
    },
    givenUp: (limit) =>
      DELIVERIES.select(query, `WHERE state = 'given_up' ORDER BY ended_at DESC, id DESC LIMIT ?`, limit),
    async removeDeliveriesBefore(endedBefore) {
      await query('DELETE FROM deliveries WHERE ended_at < ?', [endedBefore]);
    },
  } satisfies Some;
}

/** The notes about blobs that are on their way to a version. */
function uploadRows(query: Query) {
  // What was said on another connection may come late.
  const upTo = (state: UploadRecord['state']) => UPLOAD_STATES.slice(0, UPLOAD_STATES.indexOf(state) + 1);
  return {
    uploads: ({ docId }) =>
      docId === undefined ? UPLOADS.select(query, '') : UPLOADS.select(query, 'WHERE doc_id = ?', docId),
    putUpload(upload) {
      const states = upTo(upload.state);
      return UPLOADS.put(query, upload, `WHERE uploads.state IN (${placeholders(states)})`, ...states);
    },
    async renewUpload({ blob, state, seenAt }) {
      const states = upTo(state);
      const text = `UPDATE uploads SET state = ?, seen_at = ? WHERE blob = ? AND state IN (${placeholders(states)})`;
      await query(text, [state, seenAt, blob, ...states]);
    },
    async resolveUploads(docId, gate, states) {
      const which = `state IN (${placeholders(states)}) OR (state = 'under_way' AND gate <> ?)`;
      await query(`UPDATE uploads SET state = 'over' WHERE doc_id = ? AND (${which})`, [docId, ...states, gate]);
    },
    async removeUpload(blob) {
      return (await names(query, 'DELETE FROM uploads WHERE blob = ? RETURNING blob', [blob])).length > 0;
    },
    removeUploadsBefore: (seenBefore) =>
      names(query, 'DELETE FROM uploads WHERE seen_at < ? RETURNING blob', [seenBefore]),
  } satisfies Some;
}

/** The notes about blobs that are to be removed, and which of all blobs are named anywhere. */
function removalRows(query: Query) {
  return {
    usedBlobs: (blobs) => namedIn(KEEPING, query, blobs),
    knownBlobs: (blobs) => namedIn(NAMING, query, blobs),
    blobsToRemove: (notedBefore, limit) =>
      names(query, 'SELECT blob FROM removals WHERE at <= ? ORDER BY at LIMIT ?', [notedBefore, limit]),
    async addRemoval(blob, at) {
      await query('INSERT INTO removals (blob, at) VALUES (?, ?) ON CONFLICT (blob) DO NOTHING', [blob, at]);
    },
    async endRemoval(blob) {
      await query('DELETE FROM removals WHERE blob = ?', [blob]);
    },
  } satisfies Some;
}

/** Edits that never became a version, what gates remember for a day, and their keys. */
function memoryRows(query: Query) {
  return {
    unsaved: (id) => UNSAVED.first(query, 'WHERE id = ?', id),
    allUnsaved: ({ docId }) =>
      docId === undefined
        ? UNSAVED.select(query, 'ORDER BY at, id')
        : UNSAVED.select(query, 'WHERE doc_id = ? ORDER BY at, id', docId),
    putUnsaved: (edit) => UNSAVED.put(query, edit),
    async removeUnsaved(id) {
      await query('DELETE FROM unsaved WHERE id = ?', [id]);
    },
    remembered: ({ kind, docId, key }) =>
      MEMORIES.first(query, 'WHERE kind = ? AND doc_id = ? AND key = ?', kind, docId, key),
    remember: (memory) => MEMORIES.put(query, memory),
    async forget({ kind, docId, key }) {
      await query('DELETE FROM memories WHERE kind = ? AND doc_id = ? AND key = ?', [kind, docId, key]);
    },
    async forgetBefore(at) {
      await query('DELETE FROM memories WHERE at < ?', [at]);
    },
    keepKey: (name, key) => keepKey(query, 'secret_keys', name, key),
  } satisfies Some;
}

/** Returns those of the blobs that rows of the tables name. */
async function namedIn(tables: readonly string[], query: Query, blobs: readonly string[]): Promise<string[]> {
  if (blobs.length === 0) return [];
  const selects = tables.map((table) => `SELECT blob FROM ${table} WHERE blob IN (${placeholders(blobs)})`);
  return names(
    query,
    selects.join(' UNION '),
    tables.flatMap(() => blobs),
  );
}

/** @param which a table, and which of its rows */
async function count(query: Query, which: string, ...values: number[]): Promise<number> {
  const [row] = await query(`SELECT count(*) FROM ${which}`, values);
  return Number(row?.[0]);
}

async function names(query: Query, text: string, values: (string | number)[]): Promise<string[]> {
  return (await query(text, values)).map(([name]) => String(name));
}
