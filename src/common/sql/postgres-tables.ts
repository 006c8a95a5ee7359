import { randomUUID } from 'node:crypto';
import { isUnknownAuthority } from '../net/unknown-authority.ts';
import { Unavailable } from '../unavailable.ts';
import { BEGIN_WRITING, createQuery, transaction } from './postgres-client.ts';
import type { Connections } from './postgres-pool.ts';
import type { Query } from './query.ts';

/** Name of an advisory lock. */
const MIGRATION_LOCK = 1_398_162_248;
/** The oldest tested version. */
const OLDEST_SERVER = 14;

/** The tables of one service. */
export interface Schema {
  /** Name of the table with their version. */
  schema: string;
  /** Statements of each version. */
  steps: readonly string[];
  /** The oldest version that a release has to know. */
  oldest: number;
}

/** Migrates the tables of a service. @returns the random id of the database @throws {Error} for the operator */
export async function openTables(connections: Connections, schema: Schema): Promise<string> {
  try {
    return await connections.borrow(async (client) => {
      await checkServer(createQuery(client));
      return transaction(client, BEGIN_WRITING, (query) => migrate(query, schema));
    });
  } catch (error) {
    if (error instanceof Unavailable) throw new Error(`the database cannot be used: ${explain(error.cause as Error)}`);
    throw new Error(`the database cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

function explain({ message, code }: NodeJS.ErrnoException): string {
  if (!isUnknownAuthority(code)) return message;
  const remedy = 'name its authority by sslrootcert in the address, or in NODE_EXTRA_CA_CERTS (spec.outbound.caBundle)';
  return `no known authority has signed its server's certificate (${code}); ${remedy}`;
}

/**
 * Migrates a database in the caller's transaction. One of a newer release stays as it is, and may be used unless that
 * release forbids it.
 * @returns the random id of the database
 * @throws {Error} for the operator
 */
export async function migrate(query: Query, { schema, steps, oldest }: Schema): Promise<string> {
  // A replica that starts at the same time waits here, and then finds everything done.
  await query('SELECT pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
  await query('SET LOCAL statement_timeout = 0', []);
  await query(
    `CREATE TABLE IF NOT EXISTS ${schema} (id TEXT NOT NULL, version BIGINT NOT NULL, oldest BIGINT NOT NULL)`,
    [],
  );
  const [row = [randomUUID(), 0, 0]] = await query(`SELECT id, version, oldest FROM ${schema}`, []);
  const [id, version, needed] = [String(row[0]), Number(row[1]), Number(row[2])];
  if (needed > steps.length) {
    throw new Error(`its version is ${version}, made by a newer release; this one knows ${steps.length}`);
  }
  if (version >= steps.length) return id;
  for (const step of steps.slice(version)) await runStatements(query, step);
  await query(`DELETE FROM ${schema}`, []);
  await query(`INSERT INTO ${schema} VALUES (?, ?, ?)`, [id, steps.length, oldest]);
  return id;
}

/** A query with values has one statement. */
async function runStatements(query: Query, text: string): Promise<void> {
  for (const statement of text.split(';')) if (statement.trim() !== '') await query(statement, []);
}

/** @throws {Error} for the operator, for an unsuitable server */
async function checkServer(query: Query): Promise<void> {
  const [row] = await query(
    `SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding')`,
    [],
  );
  const major = Math.floor(Number(row?.[0]) / 10_000);
  if (major < OLDEST_SERVER) throw new Error(`PostgreSQL ${major} is too old: ${OLDEST_SERVER} or later is needed`);
  if (row?.[1] !== 'UTF8') throw new Error(`its encoding is ${row?.[1]}: UTF8 is needed`);
}
