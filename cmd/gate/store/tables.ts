import type { RowsTransaction } from '../domain/ports.ts';
import { deliveryRows } from './deliveries.ts';
import { documentRows, versionRows } from './documents.ts';
import { sessionRows } from './sessions.ts';
import type { Query } from './table.ts';

/** All tables. */
export function createTables(query: Query): RowsTransaction {
  return { ...documentRows(query), ...versionRows(query), ...sessionRows(query), ...deliveryRows(query) };
}

/** Returns `query` until `end`: work that goes on after its transaction must not write into another one. */
export function whileOpen(query: Query): { query: Query; end: () => void } {
  let open = true;
  return {
    query: async (text, values) => {
      if (!open) throw new Error('the transaction is over');
      return query(text, values);
    },
    end: () => {
      open = false;
    },
  };
}
