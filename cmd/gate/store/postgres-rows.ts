import pg, { type ClientBase, type Pool } from 'pg';
import {
  BEGIN_READING,
  BEGIN_WRITING,
  clientOptions,
  queryOf,
  transaction,
} from '../../../src/common/sql/postgres-client.ts';
import { checkServer, migrate } from '../../../src/common/sql/postgres-migrate.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';
import type { Rows, RowsReader } from '../domain/ports.ts';
import { POSTGRES_SCHEMA } from './migrations.ts';
import { openWriter, type Writer } from './postgres-writer.ts';
import { createTables } from './tables.ts';

/** Rows that can be told from all others. */
export interface IdentifiedRows extends Rows {
  /** A random id that goes with the database wherever it is copied or moved to. */
  databaseId(): string;
}

/** Connections for reads. */
const READERS = 10;
/** Others were quicker: serialization_failure, deadlock_detected. */
const CONFLICTS = ['40001', '40P01'];
const TRIES = 5;

/**
 * Rows in a PostgreSQL database of version 14 or later, for this gate alone. When `transact` resolves, all that its work
 * did is committed. Trouble with the connection is an `Unavailable`: nothing was done, unless it was the answer to the
 * commit that was lost.
 * @param onTaken called when the connection was lost and another gate took the database over
 * @throws {Error} in words for the operator
 */
export async function createPostgresRows(url: string, onTaken: (error: Error) => void): Promise<IdentifiedRows> {
  const writer = await openWriter(url, onTaken).catch(explain);
  try {
    const databaseId = await writer.write(async (client) => {
      await checkServer(queryOf(client));
      return transaction(client, BEGIN_WRITING, (query) => migrate(query, POSTGRES_SCHEMA));
    });
    return { ...rowsOn(new pg.Pool({ ...clientOptions(url), max: READERS }), writer), databaseId: () => databaseId };
  } catch (error) {
    await writer.close();
    return explain(error);
  }
}

/** Tells the operator why the database cannot be used. */
function explain(error: unknown): never {
  const { message } = (error instanceof Unavailable ? error.cause : error) as Error;
  throw new Error(`the database cannot be used: ${message}`, { cause: error });
}

/** The rows that `pool` reads and `writer` changes; it may be any number of these that work on a database. */
export function rowsOn(pool: Pool, writer: Writer): Rows {
  // One that ends while nobody uses it.
  pool.on('error', () => {});
  const sessions: RowsReader = createTables(queryOf(pool));
  return {
    transact: (work) =>
      again(() =>
        writer.write((client) =>
          transaction(client, BEGIN_WRITING, (query) => work(createTables(query, 'FOR UPDATE'))),
        ),
      ),
    read: (work) => borrow(pool, (client) => transaction(client, BEGIN_READING, (query) => work(createTables(query)))),
    // Nothing is kept in memory: what another gate changed counts at once.
    openSessions: {
      async byToken(tokenHash) {
        const session = await sessions.sessionByToken(tokenHash);
        return session?.closedAt === null ? session : undefined;
      },
      // All of them: no moment is before the beginning of time.
      byDocument: (docId) => sessions.liveSessions(-1, docId),
    },
    async close() {
      await writer.close();
      if (!pool.ended) await pool.end();
    },
  };
}

async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = TRIES - 1; left > 0; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !CONFLICTS.includes(error.code ?? '')) throw error;
    }
  }
  return work();
}

/** Runs `use` with a connection of the pool, which keeps those that still work. */
export async function borrow<Result>(pool: Pool, use: (client: ClientBase) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw new Unavailable(error);
  });
  let broken = false;
  try {
    return await use(client);
  } catch (error) {
    broken = error instanceof Unavailable;
    throw error;
  } finally {
    client.release(broken);
  }
}
