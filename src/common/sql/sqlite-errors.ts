/** SQLite's result codes (https://sqlite.org/rescode.html), the low byte of `errcode`. */
const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** Returns whether another connection has the lock. */
export const isBusy = (error: unknown): boolean => resultCode(error) === SQLITE_BUSY;

/** Returns whether the disk is full. */
export const isFull = (error: unknown): boolean => resultCode(error) === SQLITE_FULL;

function resultCode(error: unknown): number | undefined {
  const { code, errcode } = error as { code?: unknown; errcode?: number };
  return code === 'ERR_SQLITE_ERROR' && errcode !== undefined ? errcode & 0xff : undefined;
}
