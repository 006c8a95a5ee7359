import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Rows, RowsTransaction } from '../domain/ports.ts';
import { deliveryRows } from './deliveries.ts';
import { documentRows, versionRows } from './documents.ts';
import { migrate } from './migrations.ts';
import { type Following, followOpenSessions } from './open-sessions.ts';
import { sessionRows } from './sessions.ts';
import { openDatabase, toStoreError } from './sqlite.ts';

/**
 * Rows in a SQLite file, or in memory (`:memory:`). When `transact` resolves, all that its work did is on disk: neither
 * kill -9 nor a power cut takes it back. When it rejects, nothing was done. A disk that is full is an `ENOSPC`.
 * Waiting inside of `work` for another transaction waits for ever.
 * @throws {Error} when another process has the file open, or a newer release made it
 */
export async function createRows(path: string): Promise<Rows> {
  const database = openDatabase(path, migrate);
  const following = followOpenSessions({
    ...documentRows(database),
    ...versionRows(database),
    ...sessionRows(database),
    ...deliveryRows(database),
  });
  const boundaries = { begin: database.prepare('BEGIN IMMEDIATE'), commit: database.prepare('COMMIT') };
  let last: Promise<unknown> = Promise.resolve();

  /** Runs `task` after all that came before it. */
  function inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = last.then(task);
    last = turn.catch(() => {});
    return turn;
  }

  return {
    openSessions: following.openSessions,
    transact: (work) => inTurn(() => transaction(database, boundaries, following, work)),
    close: () =>
      inTurn(async () => {
        if (database.isOpen) database.close();
      }),
  };
}

async function transaction<Result>(
  database: DatabaseSync,
  { begin, commit }: { begin: StatementSync; commit: StatementSync },
  following: Following,
  work: (rows: RowsTransaction) => Promise<Result> | Result,
): Promise<Result> {
  const { rows, end } = whileOpen(following.tables);
  try {
    begin.run();
    const result = await work(rows);
    end();
    commit.run();
    following.committed();
    return result;
  } catch (error) {
    end();
    following.rolledBack();
    // SQLite itself rolled back where a full disk or a broken one left it no choice.
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
    throw toStoreError(error);
  }
}

/** Returns `tables` that work until `end`: work that goes on after its transaction must not write into another one. */
function whileOpen(tables: RowsTransaction): { rows: RowsTransaction; end: () => void } {
  let open = true;
  const guarded =
    (method: (...values: unknown[]) => unknown) =>
    (...values: unknown[]) => {
      if (!open) throw new Error('the transaction is over');
      return method(...values);
    };
  const get = (target: RowsTransaction, name: string | symbol): unknown => {
    const method = Reflect.get(target, name);
    return typeof method === 'function' ? guarded(method as (...values: unknown[]) => unknown) : method;
  };
  return {
    // A transaction calls one or two of some thirty methods.
    rows: new Proxy(tables, { get }),
    end: () => {
      open = false;
    },
  };
}
