import { randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  BEGIN_READING,
  BEGIN_WRITING,
  clientOptions,
  createQuery,
  transaction,
} from '../../../src/common/sql/postgres-client.ts';
import { type Connections, openConnections } from '../../../src/common/sql/postgres-pool.ts';
import { openTables } from '../../../src/common/sql/postgres-tables.ts';
import type { Query } from '../../../src/common/sql/query.ts';
import type { Lease, Rows, Shared, SharedText } from '../domain/ports.ts';
import { POSTGRES_SCHEMA } from './migrations.ts';
import { createTables } from './tables.ts';

/** Rows that can be told from all others. */
export interface IdentifiedRows extends Rows {
  /** A random id that goes with the database wherever it is copied or moved to. */
  databaseId(): string;
}

/** Connections of one gate for reads and changes. */
const CONNECTIONS = 10;
/** Those for what is asked at each opening, which waits for no save, and is answered without the database in time. */
const ASKING = 4;
const ASKING_MS = 2_000;
/** Others were quicker: serialization_failure, deadlock_detected, unique_violation. */
const CONFLICTS = ['40001', '40P01', '23505'];
const TRIES = 5;
/** The time that a lease is valid for. */
const LEASE_MS = 10_000;
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Rows in a PostgreSQL database of version 14 or later, for any number of gates. Trouble with the connection is an
 * `Unavailable`: nothing was done, unless the answer to the commit was lost. @throws {Error} in words for the operator
 */
export async function createPostgresRows(url: string): Promise<IdentifiedRows> {
  const options = clientOptions(url, 'svc-gate');
  const connections = openConnections({ ...options, max: CONNECTIONS });
  const times = { connectionTimeoutMillis: ASKING_MS, query_timeout: ASKING_MS };
  const asking = openConnections({ ...options, ...times, max: ASKING });
  const close = async () => void (await Promise.all([connections.close(), asking.close()]));
  const databaseId = await openTables(connections, POSTGRES_SCHEMA).catch(async (error) => {
    await close();
    throw error;
  });
  return { ...rowsOn(connections, asking), close, databaseId: () => databaseId };
}

function rowsOn(connections: Connections, asking: Connections): Omit<Rows, 'close'> {
  const ask: Query = (text, values) => asking.borrow((client) => createQuery(client)(text, values));
  const sessions = createTables(ask);
  return {
    transact: (work) =>
      again(() =>
        connections.borrow((client) =>
          transaction(client, BEGIN_WRITING, (query) => work(createTables(query, 'FOR UPDATE'))),
        ),
      ),
    read: (work) =>
      connections.borrow((client) => transaction(client, BEGIN_READING, (query) => work(createTables(query)))),
    shared: createShared(ask),
    openSessions: {
      async byToken(tokenHash) {
        const session = await sessions.sessionByToken(tokenHash);
        return session?.closedAt === null ? session : undefined;
      },
      // Expired ones too: each `expiresAt` is later than -1.
      byDocument: (docId) => sessions.liveSessions(-1, docId),
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

/** Shared state in PostgreSQL. Each call is one statement, so that a gate that dies leaves no lock. */
function createShared(query: Query): Shared {
  return {
    lease: createLease(query),
    places: createSharedText(query, 'places'),
    seen: createSharedText(query, 'seen'),
    bytes: createSharedText(query, 'bytes'),
  };
}

/** Times are the database's: gates need no common clock. */
function createLease(query: Query): Lease {
  const holder = randomUUID();
  return {
    async renew() {
      const rows = await query(
        `INSERT INTO leases AS held (name, holder, until) VALUES ('leader', ?, ${NOW_MS} + ${LEASE_MS})
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE held.holder = excluded.holder OR held.until <= ${NOW_MS} RETURNING 1`,
        [holder],
      );
      return rows.length > 0;
    },
    async release() {
      await query('DELETE FROM leases WHERE holder = ?', [holder]);
    },
  };
}

function createSharedText(query: Query, name: string): SharedText {
  return {
    async read(known) {
      const [row] = await query(
        `SELECT ${NOW_MS}, version, CASE WHEN version <> ? THEN value END
         FROM (SELECT 1) AS one LEFT JOIN shared_texts ON name = ?`,
        [known, name],
      );
      const [now, version, text] = row ?? [];
      return { now: Number(now), version: Number(version ?? 0), text: (text as string | null) ?? undefined };
    },
    async write(text, version) {
      const rows =
        version === 0
          ? await query('INSERT INTO shared_texts VALUES (?, 1, ?) ON CONFLICT DO NOTHING RETURNING 1', [name, text])
          : await query(
              'UPDATE shared_texts SET version = version + 1, value = ? WHERE name = ? AND version = ? RETURNING 1',
              [text, name, version],
            );
      return rows.length > 0;
    },
  };
}
