import type { DatabaseSync } from 'node:sqlite';
import { type Query, whileOpen } from '../../../src/common/sql/query.ts';
import type { Rows, RowsTransaction } from '../domain/ports.ts';
import { OpenSessionsCopy } from './open-sessions.ts';
import { createQuery, keepInMemory, migrate, openDatabase, toStoreError } from './sqlite.ts';
import { createTables } from './tables.ts';

/**
 * Rows in a SQLite file, or in memory (`:memory:`). Commits outlive kill -9 and power cuts. A full disk is an `ENOSPC`.
 * Transactions and reads run one after the other, so that one inside of another waits for ever. Memories are lost at the
 * end.
 * @param options.forgetful so are uploads and removals: for bytes in a store that lists them
 * @throws {Error} when another process has the file open, or a newer release made it
 */
export async function createRows(path: string, { forgetful = false } = {}): Promise<Rows> {
  const database = openDatabase(path, (opened) => {
    migrate(opened);
    keepInMemory(opened, { memories: 'kind, doc_id, key', ...(forgetful && { uploads: 'blob', removals: 'blob' }) });
  });
  const query = createQuery(database);
  const openSessions = new OpenSessionsCopy(await createTables(query).liveSessions(-1));
  let last: Promise<unknown> = Promise.resolve();

  /** Runs `task` after all that came before it. */
  function inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = last.then(task);
    last = turn.catch(() => {});
    return turn;
  }
  const transact: Rows['transact'] = (work) => inTurn(() => transaction(database, query, openSessions, work));

  return {
    openSessions,
    transact,
    // A transaction takes a fraction of a millisecond and the disk's flush: a read can wait for it.
    read: transact,
    close: () =>
      inTurn(async () => {
        if (database.isOpen) database.close();
      }),
  };
}

async function transaction<Result>(
  database: DatabaseSync,
  query: Query,
  openSessions: OpenSessionsCopy,
  work: (rows: RowsTransaction) => Promise<Result> | Result,
): Promise<Result> {
  const open = whileOpen(query);
  const { tables, committed } = openSessions.follow(createTables(open.query));
  try {
    await query('BEGIN IMMEDIATE', []);
    const result = await work(tables);
    open.end();
    await query('COMMIT', []);
    committed();
    return result;
  } catch (error) {
    open.end();
    // SQLite itself rolled back where a full disk or a broken one left it no choice.
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
    throw toStoreError(error);
  }
}
