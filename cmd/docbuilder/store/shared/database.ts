import { newKey } from '../../../../src/common/fs/key-file.ts';
import { clientOptions, createQuery } from '../../../../src/common/sql/postgres-client.ts';
import { openConnections } from '../../../../src/common/sql/postgres-pool.ts';
import type { Schema } from '../../../../src/common/sql/postgres-tables.ts';
import { openTables } from '../../../../src/common/sql/postgres-tables.ts';
import { keepKey, type Query } from '../../../../src/common/sql/query.ts';

const CONNECTIONS = 10;
/** All statements are short. A request that waits for one is refused soon when the database hangs. */
const ANSWER_MS = 3_000;

/**
 * One step a version. A step that was released never changes: add another. The release before works with the database
 * while this one is rolled out, so a step adds what has a default, or takes away what that release did not use any more.
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

/** The rows that all replicas share. */
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

/** A random key that the database has from its first use on. */
export function sharedKey(query: Query, name: string): Promise<Buffer> {
  return keepKey(query, 'docbuilder_keys', name, newKey());
}
