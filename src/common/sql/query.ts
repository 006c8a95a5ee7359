/** The content of a column. */
export type Value = string | number | null;

/** Runs a statement, with a `?` for each value, and returns the rows that it gives. */
export type Query = (text: string, values: readonly Value[]) => Promise<readonly (readonly Value[])[]>;

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

/** Keeps a key in a table of names and values, unless it has one of that name. @returns the one that it has */
export async function keepKey(query: Query, table: string, name: string, key: Buffer): Promise<Buffer> {
  const values = [name, key.toString('hex')];
  await query(`INSERT INTO ${table} (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, values);
  const [row] = await query(`SELECT value FROM ${table} WHERE name = ?`, [name]);
  return Buffer.from(String(row?.[0]), 'hex');
}
