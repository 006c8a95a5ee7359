import type { Query } from './table.ts';

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
