import { type Query, Table } from '../../../src/common/sql/table.ts';
import type { UploadRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';

const UPLOADS = new Table<UploadRecord>('uploads', { blob: 'plain', docId: 'plain', gate: 'plain', seenAt: 'plain' }, [
  'blob',
]);

/** The notes about blobs that are on their way to a version, or to be removed. */
export function blobRows(
  query: Query,
): Pick<
  RowsTransaction,
  | 'usesBlob'
  | 'knownBlobs'
  | 'blobsToRemove'
  | 'putUpload'
  | 'removeUpload'
  | 'removeUploadsBefore'
  | 'addRemoval'
  | 'endRemoval'
> {
  const names = async (text: string, values: (string | number)[]): Promise<string[]> =>
    (await query(text, values)).map(([name]) => String(name));

  return {
    async usesBlob(blob) {
      return (await names('SELECT blob FROM versions WHERE blob = ? LIMIT 1', [blob])).length > 0;
    },
    async knownBlobs(blobs) {
      if (blobs.length === 0) return [];
      const list = blobs.map(() => '?').join(', ');
      const selects = ['versions', 'uploads', 'removals'].map(
        (table) => `SELECT blob FROM ${table} WHERE blob IN (${list})`,
      );
      return names(selects.join(' UNION '), [...blobs, ...blobs, ...blobs]);
    },
    blobsToRemove: (notedBefore, limit) =>
      names('SELECT blob FROM removals WHERE at <= ? ORDER BY at LIMIT ?', [notedBefore, limit]),
    putUpload: (upload) => UPLOADS.put(query, upload),
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
