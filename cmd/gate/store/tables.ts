import type { RowsTransaction } from '../domain/ports.ts';
import { deliveryRows } from './deliveries.ts';
import { documentRows, versionRows } from './documents.ts';
import { sessionRows } from './sessions.ts';
import type { Lock, Query } from './table.ts';

/** All tables. */
export function createTables(query: Query, lock: Lock = ''): RowsTransaction {
  return { ...documentRows(query, lock), ...versionRows(query), ...sessionRows(query, lock), ...deliveryRows(query) };
}

/** Returns `query` until `end`: work that goes on after its transaction must not write into another one. */
export function whileOpen(query: Query): {
  query: Query;
  /** Returns whether all calls have ended. */
  end: () => boolean;
} {
  let open = true;
  let underWay = 0;
  return {
    query: async (text, values) => {
      if (!open) throw new Error('the transaction is over');
      underWay += 1;
      try {
        return await query(text, values);
      } finally {
        underWay -= 1;
      }
    },
    end: () => {
      open = false;
      return underWay === 0;
    },
  };
}
