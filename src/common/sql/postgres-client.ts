import pg, { type ClientBase, type ClientConfig, type CustomTypesConfig } from 'pg';
import { Unavailable } from '../unavailable.ts';
import { type Query, type Value, whileOpen } from './query.ts';

/** The time that a connection may take, and an answer, before the database counts as away. */
const CONNECT_MS = 2_000;
const ANSWER_MS = 10_000;

/** SQLSTATE classes of troubles that pass: connection, resources, operator, system, internal. */
const PASSING = /^(08|53|57|58|XX)/;

/** 64-bit integers as numbers: those here are times and counts. */
const types: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** The client verifies the server's certificate in each of these modes, unlike libpq, and warns of that on stderr. */
const VERIFIED = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/**
 * @param url `postgresql://…`; what it leaves out, libpq's variables say (`PGSSLMODE` and its like)
 * @param application the name that the server shows for the connections
 */
export function clientOptions(url: string, application: string): ClientConfig {
  return {
    connectionString: url.replace(VERIFIED, '$1verify-full'),
    application_name: application,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  };
}

/** The beginning of a transaction. Settings of the server or the user that would break a promise do not count in it. */
export const BEGIN_WRITING: string = begin(
  'READ COMMITTED READ WRITE',
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
);
export const BEGIN_READING: string = begin('REPEATABLE READ READ ONLY');

function begin(mode: string, ...more: string[]): string {
  // A statement that hangs ends at the server as well, and gives its locks back.
  const limits = [
    `SET LOCAL statement_timeout = ${ANSWER_MS}`,
    'SET LOCAL idle_in_transaction_session_timeout = 30000',
  ];
  return [`BEGIN ISOLATION LEVEL ${mode}`, ...limits, ...more].join('; ');
}

/** Runs `work` as a transaction. After an `Unavailable` the connection is good for nothing any more. */
export async function transaction<Result>(
  client: ClientBase,
  begin: string,
  work: (query: Query) => Promise<Result> | Result,
): Promise<Result> {
  const open = whileOpen(createQuery(client));
  try {
    await run(client, { text: begin });
    const result = await work(open.query);
    if (!open.end()) throw new TypeError('a call of the transaction was not awaited');
    // The answer to a transaction in which a statement failed is that it was rolled back, and no error.
    const { command } = await run(client, { text: 'COMMIT' });
    if (command !== 'COMMIT') throw new Error('a statement of the transaction failed');
    return result;
  } catch (error) {
    open.end();
    if (!(error instanceof Unavailable)) await run(client, { text: 'ROLLBACK' });
    throw error;
  }
}

/** The queries of a connection, or of a pool. */
export function createQuery(client: Pick<ClientBase, 'query'>): Query {
  return async (text, values) => {
    const query = { text: numbered(text), values: values.map(withoutNul), rowMode: 'array' as const };
    return (await run<Value[]>(client, query)).rows;
  };
}

/**
 * PostgreSQL's text has no NUL, and users may send one: a replacement character stands for it, which no id of ours has.
 */
function withoutNul(value: Value): Value {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
}

/** PostgreSQL numbers its parameters. No text of ours has a question mark in it. */
function numbered(text: string): string {
  let number = 0;
  return text.replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
}

/** @throws {Unavailable} for trouble that passes; only the server's own errors can be mistakes of ours */
async function run<Row extends unknown[]>(
  client: Pick<ClientBase, 'query'>,
  query: { text: string; values?: Value[]; rowMode?: 'array' },
): Promise<{ rows: Row[]; command: string }> {
  try {
    return await (client.query(query) as unknown as Promise<{ rows: Row[]; command: string }>);
  } catch (error) {
    const isMistake = error instanceof pg.DatabaseError && !PASSING.test(error.code ?? 'XX');
    throw isMistake ? error : new Unavailable(error);
  }
}
