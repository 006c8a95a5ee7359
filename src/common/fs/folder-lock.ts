import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { isBusy } from '../sql/sqlite-errors.ts';

const FILE = 'lock';
const LOOK_MS = 250;

/** Garbage collection would close a database, and end its lock. */
const held = new Set<DatabaseSync>();

/**
 * Locks a folder for this process with a lock of the kernel, which also holds between containers and ends with its
 * process. Node has no call for one, but SQLite locks an empty file.
 * @param log without it, a lock that another process has is an error; with it, its end is awaited
 * @returns releases the lock
 */
export async function lockFolder(path: string, log?: Pick<Logger, 'warn'>): Promise<() => void> {
  const database = open(join(path, FILE));
  held.add(database);
  const release = (): void => {
    held.delete(database);
    if (database.isOpen) database.close();
  };
  try {
    for (let isFirst = true; !take(database); isFirst = false) {
      if (!log) throw new Error(`${path} is in use by another process: give each service a data folder of its own`);
      if (isFirst) log.warn({ path }, 'the data folder is in use by another process: waiting until that has ended');
      await sleep(LOOK_MS);
    }
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

function open(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file);
  } catch (error) {
    throw new Error(`${file} cannot be opened: ${(error as Error).message}`, { cause: error });
  }
}

function take(database: DatabaseSync): boolean {
  try {
    // A journal on disk would be a file that a full one refuses.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
