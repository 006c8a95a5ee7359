import pg, { type ClientBase, type ClientConfig, type CustomTypesConfig } from 'pg';
import { Unavailable } from '../unavailable.ts';
import { type Query, type Value, whileOpen } from './query.ts';

/** Milliseconds to connect, and for an answer. */
const CONNECT_MS = 2_000;
const ANSWER_MS = 10_000;

/** SQLSTATEs of transient errors: connection, resources, operator, system, internal, a lock that is held. */
const PASSING = /^(08|53|57|58|XX|55P03)/;

/** 64-bit integers as numbers; ours are times and counts. */
const types: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** pg verifies the server's certificate in each of these modes, unlike libpq, and warns of that on stderr. */
const VERIFIED = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/**
 * @param url `postgresql://…`; libpq's variables (`PGSSLMODE` and its like) complete it
 * @param application the connections' name on the server
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

/** Begins a transaction, with the settings that durability needs. */
export const BEGIN_WRITING: string = begin(
  'READ COMMITTED READ WRITE',
  "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
);
export const BEGIN_READING: string = begin('REPEATABLE READ READ ONLY');

function begin(mode: string, ...more: string[]): string {
  // What hangs, a statement or a client, ends at the server as well, and gives its locks back.
  const limits = [
    `SET LOCAL statement_timeout = ${ANSWER_MS}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${ANSWER_MS}`,
  ];
  return [`BEGIN ISOLATION LEVEL ${mode}`, ...limits, ...more].join('; ');
}

/** Runs `work` as a transaction. After an `Unavailable` the connection is unusable. */
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

/** Returns the queries of a connection or a pool. */
export function createQuery(client: Pick<ClientBase, 'query'>): Query {
  return async (text, values) => {
    const query = { text: numbered(text), values: values.map(withoutNul), rowMode: 'array' as const };
    return (await run<Value[]>(client, query)).rows;
  };
}

/** PostgreSQL's text has no NUL; a replacement character stands for it. */
function withoutNul(value: Value): Value {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
}

/** Numbers the parameters. No text of ours contains another question mark. */
function numbered(text: string): string {
  let number = 0;
  return text.replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
}

/** @throws {Unavailable} for a transient error; others are our mistakes */
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
