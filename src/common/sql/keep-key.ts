import type { Query } from './table.ts';

/** Keeps a key in a table of names and values, unless it has one of that name. @returns the one that it has */
export async function keepKey(query: Query, table: string, name: string, key: Buffer): Promise<Buffer> {
  const values = [name, key.toString('hex')];
  await query(`INSERT INTO ${table} (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, values);
  const [row] = await query(`SELECT value FROM ${table} WHERE name = ?`, [name]);
  return Buffer.from(String(row?.[0]), 'hex');
}
