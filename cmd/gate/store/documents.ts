import { type Lock, type Query, Table } from '../../../src/common/sql/table.ts';
import type { DocumentRecord, VersionRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';

const DOCUMENTS = new Table<DocumentRecord>(
  'documents',
  {
    docId: 'plain',
    key: 'plain',
    fileType: 'plain',
    title: 'plain',
    state: 'plain',
    version: 'plain',
    createdAt: 'plain',
    lastViewAt: 'plain',
    closedAt: 'plain',
    callbackUrl: 'plain',
    baseUrl: 'plain',
  },
  ['docId'],
);

const VERSIONS = new Table<VersionRecord>(
  'versions',
  {
    docId: 'plain',
    version: 'plain',
    blob: 'plain',
    sha256: 'plain',
    size: 'plain',
    savedAt: 'plain',
    savedBy: 'json',
    autosave: 'boolean',
    final: 'boolean',
    modifiedByUser: 'boolean',
    nonce: 'plain',
  },
  ['docId', 'version'],
);

/** Documents, oldest first. Versions and sessions go with their document (see the migrations). */
export function documentRows(
  query: Query,
  lock: Lock,
): Pick<RowsTransaction, 'document' | 'documentByKey' | 'documents' | 'putDocument' | 'removeDocument'> {
  const order = 'ORDER BY created_at, doc_id';
  return {
    document: (docId) => DOCUMENTS.first(query, `WHERE doc_id = ? ${lock}`, docId),
    documentByKey: (key) => DOCUMENTS.first(query, `WHERE key = ? ${lock}`, key),
    documents: ({ state } = {}) =>
      state === undefined ? DOCUMENTS.select(query, order) : DOCUMENTS.select(query, `WHERE state = ? ${order}`, state),
    putDocument: (record) => DOCUMENTS.put(query, record),
    async removeDocument(docId) {
      await query('DELETE FROM documents WHERE doc_id = ?', [docId]);
    },
  };
}

/** The versions of documents. */
export function versionRows(
  query: Query,
): Pick<RowsTransaction, 'version' | 'versions' | 'putVersion' | 'removeVersion'> {
  return {
    version: (docId, version) => VERSIONS.first(query, 'WHERE doc_id = ? AND version = ?', docId, version),
    versions: (docId) => VERSIONS.select(query, 'WHERE doc_id = ? ORDER BY version', docId),
    putVersion: (record) => VERSIONS.put(query, record),
    async removeVersion(docId, version) {
      await query('DELETE FROM versions WHERE doc_id = ? AND version = ?', [docId, version]);
    },
  };
}
