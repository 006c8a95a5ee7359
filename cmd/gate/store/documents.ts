import type { DatabaseSync } from 'node:sqlite';
import type { DocumentRecord, VersionRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';
import { type Columns, Table } from './table.ts';

const DOCUMENT: Columns<DocumentRecord> = {
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
};

const VERSION: Columns<VersionRecord> = {
  docId: 'plain',
  version: 'plain',
  sha256: 'plain',
  size: 'plain',
  savedAt: 'plain',
  savedBy: 'json',
  autosave: 'boolean',
  final: 'boolean',
  modifiedByUser: 'boolean',
  nonce: 'plain',
};

/** Documents, oldest first. Versions and sessions go with their document (see the migrations). */
export function documentRows(
  database: DatabaseSync,
): Pick<RowsTransaction, 'document' | 'documentByKey' | 'documents' | 'putDocument' | 'removeDocument'> {
  const documents = new Table(database, 'documents', DOCUMENT, ['docId']);
  const all = documents.select('ORDER BY created_at, doc_id');
  const inState = documents.select('WHERE state = ? ORDER BY created_at, doc_id');
  return {
    document: documents.first('WHERE doc_id = ?'),
    documentByKey: documents.first('WHERE key = ?'),
    documents: ({ state } = {}) => (state === undefined ? all() : inState(state)),
    putDocument: (record) => documents.put(record),
    removeDocument: documents.run('DELETE FROM documents WHERE doc_id = ?'),
  };
}

/** The versions of documents. */
export function versionRows(
  database: DatabaseSync,
): Pick<RowsTransaction, 'version' | 'versions' | 'putVersion' | 'removeVersion' | 'usesBlob'> {
  const versions = new Table(database, 'versions', VERSION, ['docId', 'version']);
  const withBytes = versions.first('WHERE sha256 = ? LIMIT 1');
  return {
    version: versions.first('WHERE doc_id = ? AND version = ?'),
    versions: versions.select('WHERE doc_id = ? ORDER BY version'),
    putVersion: (record) => versions.put(record),
    removeVersion: versions.run('DELETE FROM versions WHERE doc_id = ? AND version = ?'),
    usesBlob: (sha256) => withBytes(sha256) !== undefined,
  };
}
