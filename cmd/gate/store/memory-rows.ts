import { keepKey, type Query, Table } from '../../../src/common/sql/table.ts';
import type { MemoryRecord, UnsavedRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';

const UNSAVED = new Table<UnsavedRecord>(
  'unsaved',
  { id: 'plain', docId: 'plain', pid: 'plain', at: 'plain', blob: 'plain', sha256: 'plain', size: 'plain' },
  ['id'],
);
const MEMORIES = new Table<MemoryRecord>(
  'memories',
  { kind: 'plain', docId: 'plain', key: 'plain', value: 'plain', at: 'plain' },
  ['kind', 'docId', 'key'],
);

/** Edits that never became a version, what gates remember for a day, and their keys. */
export function memoryRows(
  query: Query,
): Pick<
  RowsTransaction,
  | 'unsaved'
  | 'allUnsaved'
  | 'putUnsaved'
  | 'removeUnsaved'
  | 'remembered'
  | 'remember'
  | 'forget'
  | 'forgetBefore'
  | 'keepKey'
> {
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
  };
}
