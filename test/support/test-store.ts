import { createHash } from 'node:crypto';
import { findPostgres, POSTGRES_LIB } from '../../cmd/local/store.ts';
import type { Environment } from '../../src/common/config.ts';
import { runEnding } from './at-end.ts';
import { postgresOrNone } from './postgres.ts';
import { s3Environment, s3Missing, startS3Server } from './s3-server.ts';

/** Services of tests keep what they know in their data folder or, with this variable, in a database and a bucket. */
export const isShared: boolean = process.env['SVC_TEST_STORE'] === 'shared';

/** A schema of a database and a prefix of a bucket that belong to one data folder: who starts with it again finds them. */
export type TestStore = Awaited<ReturnType<typeof createStore>>;

/** They end with the process of tests. */
let servers: ReturnType<typeof startServers> | undefined;
const stores = new Map<string, Promise<TestStore>>();

/** Returns the store of a data folder, a new one at first; undefined where tests run on the folder itself. */
export async function getStore(folder: string): Promise<TestStore | undefined> {
  if (!isShared) return undefined;
  const store = stores.get(folder) ?? createStore(folder);
  stores.set(folder, store);
  return store;
}

/** Returns the environment of a service with the store of its data folder, unless it names one itself. */
export async function withStore(environment: Environment, folder = ''): Promise<Environment> {
  const named = environment['SVC_DATABASE_URL'] || environment['SVC_S3_BUCKET'];
  return named ? environment : { ...(await getStore(folder))?.environment, ...environment };
}

/** Returns the servers of the shared store, which are started once. @throws {Error} where this machine has none */
export function testServers(): ReturnType<typeof startServers> {
  servers ??= startServers();
  return servers;
}

async function createStore(folder: string) {
  const { postgres, s3 } = await testServers();
  const name = `store_${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  // Functions that a test makes come before the database's own.
  const url = new URL(postgres.url);
  url.searchParams.set('options', `-c search_path=${name},pg_catalog`);
  await postgres.ask(`CREATE SCHEMA ${name}`);
  const prefix = `${name}/`;
  let last: number | undefined;
  return {
    /** Names it for a service. */
    environment: { ...s3Environment(s3), SVC_DATABASE_URL: url.href, SVC_S3_PREFIX: prefix },
    /** Sets the clock of the database, by which several services go. Like the test's own, it runs on or stands still. */
    async setTime(now: number, { runs }: { runs: boolean }): Promise<void> {
      if (now === last) return;
      last = now;
      const time = runs
        ? `pg_catalog.clock_timestamp() + interval '${now - Date.now()} milliseconds'`
        : `pg_catalog.to_timestamp(${now / 1000})`;
      await postgres.ask(
        `CREATE OR REPLACE FUNCTION ${name}.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT ${time} $$`,
      );
    },
    /** Returns the names of all objects. */
    objects: async () =>
      (await s3.files()).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
  };
}

/** Why there can be no shared store here, or undefined. */
export async function sharedStoreMissing(): Promise<string | undefined> {
  return s3Missing() ?? ((await findPostgres()) === undefined ? `no PostgreSQL below ${POSTGRES_LIB}` : undefined);
}

async function startServers() {
  const missing = await sharedStoreMissing();
  // Nobody ends it before the tests, nor cuts its power.
  const postgres = missing === undefined ? await postgresOrNone('fsync=off') : undefined;
  if (!postgres) throw new Error(missing);
  runEnding.at(() => postgres.stop());
  const s3 = await startS3Server();
  runEnding.at(() => s3.dispose());
  return { postgres, s3 };
}
