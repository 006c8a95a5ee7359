import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Query } from '../../../src/common/sql/query.ts';
import { isBusy, isFull } from '../../../src/common/sql/sqlite-errors.ts';
import { SQLITE_MIGRATIONS } from './migrations.ts';

/**
 * Opens a database file for this process alone, or one in memory (`:memory:`). WAL with `synchronous=FULL` flushes each
 * commit. The kernel’s lock also holds between containers and ends with its process. In exclusive mode the log’s index
 * is on the heap: a full disk would turn a mapped file into a SIGBUS.
 * @param prepare what it throws closes the database again
 * @throws {Error} when another process has it open, or it is no database of ours
 */
export function openDatabase(path: string, prepare: (database: DatabaseSync) => void = () => {}): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { enableForeignKeyConstraints: true });
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
    `);
    prepare(database);
    return database;
  } catch (error) {
    database?.close();
    const problem = isBusy(error) ? 'in use by another process' : (error as Error).message;
    throw new Error(`${path} cannot be opened: ${problem}`, { cause: error });
  }
}

/** Migrates a database, each step all or nothing. @throws {Error} when a newer release made it */
export function migrate(database: DatabaseSync, migrations: readonly string[] = SQLITE_MIGRATIONS): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length) {
    throw new Error(`its version is ${version}, made by a newer release; this one knows ${migrations.length}`);
  }
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    try {
      database.exec(`BEGIN; ${statements}; PRAGMA user_version = ${index + 1}; COMMIT`);
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Hides tables behind empty ones in memory, which go with the connection. @param tables their names and primary keys */
export function keepInMemory(database: DatabaseSync, tables: Readonly<Record<string, string>>): void {
  database.exec('PRAGMA temp_store = MEMORY');
  for (const [table, key] of Object.entries(tables))
    database.exec(`
      CREATE TEMP TABLE ${table} AS SELECT * FROM main.${table} WHERE 0;
      CREATE UNIQUE INDEX temp.${table}_key ON ${table} (${key});
    `);
}

/** Returns the queries of a database, whose statements are prepared once. */
export function createQuery(database: DatabaseSync): Query {
  const statements = new Map<string, StatementSync>();
  function prepare(text: string): StatementSync {
    const statement = database.prepare(text);
    // Objects would be made anew, name by name, for every row.
    statement.setReturnArrays(true);
    statements.set(text, statement);
    return statement;
  }
  return async (text, values) =>
    (statements.get(text) ?? prepare(text)).all(...values) as unknown as Awaited<ReturnType<Query>>;
}

/** Turns SQLite's error for a full disk into the file system's, so that there is one way to recognize it. */
export function toStoreError(error: unknown): unknown {
  if (!isFull(error)) return error;
  return Object.assign(new Error('ENOSPC: no space left on device', { cause: error }), { code: 'ENOSPC' });
}
