/** The content of a column. */
export type Value = string | number | null;

/** Runs a statement with a `?` for each value, and returns its rows. */
export type Query = (text: string, values: readonly Value[]) => Promise<readonly (readonly Value[])[]>;

/** Returns `query`, which fails after `end`: later calls would run in another transaction. */
export function whileOpen(query: Query): {
  query: Query;
  /** Returns whether all calls have settled. */
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

/** Stores a key under a name unless there is one. @returns the stored key */
export async function keepKey(query: Query, table: string, name: string, key: Buffer): Promise<Buffer> {
  const values = [name, key.toString('hex')];
  await query(`INSERT INTO ${table} (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, values);
  const [row] = await query(`SELECT value FROM ${table} WHERE name = ?`, [name]);
  return Buffer.from(String(row?.[0]), 'hex');
}
