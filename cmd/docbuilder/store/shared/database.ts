import { newKey } from '../../../../src/common/fs/key-file.ts';
import { clientOptions, createQuery } from '../../../../src/common/sql/postgres-client.ts';
import { openConnections } from '../../../../src/common/sql/postgres-pool.ts';
import { openTables, type Schema } from '../../../../src/common/sql/postgres-tables.ts';
import { keepKey, type Query } from '../../../../src/common/sql/query.ts';

const CONNECTIONS = 10;
/** All statements are short. When the database hangs, requests are refused after this time. */
const ANSWER_MS = 3_000;

/**
 * One step a version. A released step never changes. During a rollout the release before works with the database as well:
 * a step adds columns with a default, or removes what that release did not use.
 */
const SCHEMA: Schema = {
  schema: 'docbuilder_schema',
  oldest: 1,
  steps: [
    `
    CREATE TABLE docbuilder_keys (name TEXT PRIMARY KEY, value TEXT NOT NULL);

    CREATE TABLE docbuilder_rates (
      only_row     BIGINT PRIMARY KEY CHECK (only_row = 1),
      minute_start BIGINT NOT NULL,
      minute_used  BIGINT NOT NULL,
      day_start    BIGINT NOT NULL,
      day_used     BIGINT NOT NULL
    );
    INSERT INTO docbuilder_rates VALUES (1, 0, 0, 0, 0);

    CREATE TABLE docbuilder_replicas (
      id      TEXT PRIMARY KEY,
      joined  BIGINT GENERATED ALWAYS AS IDENTITY,
      address TEXT NOT NULL,
      beat    BIGINT NOT NULL,
      load    TEXT NOT NULL
    );

    CREATE TABLE docbuilder_jobs (
      id         TEXT PRIMARY KEY,
      replica    TEXT NOT NULL,
      state      TEXT NOT NULL CHECK (state IN ('open', 'calling', 'ended')),
      record     TEXT NOT NULL,
      lost_at    BIGINT,
      expires_at BIGINT,
      remove_at  BIGINT
    );
    CREATE INDEX docbuilder_jobs_replica ON docbuilder_jobs (replica) WHERE state <> 'ended';
    CREATE INDEX docbuilder_jobs_remove_at ON docbuilder_jobs (remove_at)
    `,
  ],
};

/** The database of all replicas. */
export interface Database {
  /** @throws {Unavailable} when there is no answer */
  query: Query;
  close(): Promise<void>;
}

/**
 * Opens a PostgreSQL database of version 14 or later, and makes its tables.
 * @throws {Error} in words for the operator
 */
export async function openDatabase(url: string): Promise<Database> {
  const options = clientOptions(url, 'svc-docbuilder');
  // A migration may take its time.
  const opened = openConnections({ ...options, max: 1 });
  try {
    await openTables(opened, SCHEMA);
  } finally {
    await opened.close();
  }
  const { borrow, close } = openConnections({ ...options, max: CONNECTIONS, query_timeout: ANSWER_MS });
  return { query: (text, values) => borrow((client) => createQuery(client)(text, values)), close };
}

/** Returns a random key, the same for all replicas. */
export function sharedKey(query: Query, name: string): Promise<Buffer> {
  return keepKey(query, 'docbuilder_keys', name, newKey());
}
