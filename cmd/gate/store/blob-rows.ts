import { type Query, Table } from '../../../src/common/sql/table.ts';
import type { UploadRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';

const UPLOADS = new Table<UploadRecord>(
  'uploads',
  { blob: 'plain', docId: 'plain', gate: 'plain', state: 'plain', seenAt: 'plain' },
  ['blob'],
);

/** The tables whose rows name blobs. */
const NAMING = ['versions', 'uploads', 'removals', 'unsaved'];

/** The notes about blobs that are on their way to a version, or to be removed. */
export function blobRows(
  query: Query,
): Pick<
  RowsTransaction,
  | 'uploads'
  | 'usesBlob'
  | 'knownBlobs'
  | 'blobsToRemove'
  | 'addUpload'
  | 'putUpload'
  | 'renewUpload'
  | 'resolveUploads'
  | 'removeUpload'
  | 'removeUploadsBefore'
  | 'addRemoval'
  | 'endRemoval'
> {
  const names = async (text: string, values: (string | number)[]): Promise<string[]> =>
    (await query(text, values)).map(([name]) => String(name));

  return {
    uploads: ({ docId }) =>
      docId === undefined ? UPLOADS.select(query, '') : UPLOADS.select(query, 'WHERE doc_id = ?', docId),
    async usesBlob(blob) {
      return (await names('SELECT blob FROM versions WHERE blob = ? LIMIT 1', [blob])).length > 0;
    },
    async knownBlobs(blobs) {
      if (blobs.length === 0) return [];
      const list = blobs.map(() => '?').join(', ');
      const selects = NAMING.map((table) => `SELECT blob FROM ${table} WHERE blob IN (${list})`);
      return names(
        selects.join(' UNION '),
        NAMING.flatMap(() => blobs),
      );
    },
    blobsToRemove: (notedBefore, limit) =>
      names('SELECT blob FROM removals WHERE at <= ? ORDER BY at LIMIT ?', [notedBefore, limit]),
    async addUpload({ blob, docId, gate, state, seenAt }) {
      const text = `INSERT INTO uploads (blob, doc_id, gate, state, seen_at) VALUES (?, ?, ?, ?, ?)`;
      await query(`${text} ON CONFLICT (blob) DO NOTHING`, [blob, docId, gate, state, seenAt]);
    },
    putUpload: (upload) => UPLOADS.put(query, upload),
    async renewUpload({ blob, state, seenAt }) {
      const text = `UPDATE uploads SET state = ?, seen_at = ? WHERE blob = ? AND state <> 'over'`;
      await query(text, [state, seenAt, blob]);
    },
    async resolveUploads(docId, gate) {
      const which = `state IN ('failed', 'broken_off') OR (state = 'under_way' AND gate <> ?)`;
      await query(`UPDATE uploads SET state = 'over' WHERE doc_id = ? AND (${which})`, [docId, gate]);
    },
    async removeUpload(blob) {
      return (await names('DELETE FROM uploads WHERE blob = ? RETURNING blob', [blob])).length > 0;
    },
    removeUploadsBefore: (seenBefore) => names('DELETE FROM uploads WHERE seen_at < ? RETURNING blob', [seenBefore]),
    async addRemoval(blob, at) {
      await query('INSERT INTO removals (blob, at) VALUES (?, ?) ON CONFLICT (blob) DO NOTHING', [blob, at]);
    },
    async endRemoval(blob) {
      await query('DELETE FROM removals WHERE blob = ?', [blob]);
    },
  };
}
