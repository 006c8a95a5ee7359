import { hash } from 'node:crypto';
import { TimedKeys } from './timed-keys.ts';

/** A connection to a document of another WOPI host, known by the hash of its token. */
export interface ForeignConnection {
  wopiSrc: string;
  tokenHash: string;
}

export type ForeignReservations = ReturnType<typeof createForeignReservations>;

export interface ForeignState {
  /** The requests that wait, each with its deadline. */
  waiting: [name: string, end: number][];
  /** The views that those who waited turned out to be. */
  users: [name: string, key: string][];
  /** Keys of the last list. */
  known: string[];
}

/**
 * Reservations on documents of other WOPI hosts, until the editor lists those who made them. @param stayMs their time
 */
export function createForeignReservations(stayMs: number, stored?: ForeignState) {
  const waiting = new TimedKeys(stayMs, stored?.waiting);
  const users = new Map<string, string>(stored?.users);
  let known: ReadonlySet<string> = new Set(stored?.known);

  return {
    reserve: (connection: ForeignConnection, now: number) => waiting.add(toName(connection), now),
    has: (connection: ForeignConnection) => waiting.has(toName(connection)),
    /** Returns the key of the view that the connection turned out to be. */
    findUser: (connection: ForeignConnection) => users.get(toName(connection)),
    size: () => waiting.size,
    expire: (now: number) => waiting.expire(now),
    /**
     * Takes in the editor’s views, which have users but no tokens: each new user on a document is taken for the one who
     * has waited longest for it, editing or reading. @param counts returns whether a key still counts as a connection
     */
    match(
      views: readonly { wopiSrc: string; readonly: boolean; key: string }[],
      counts: (key: string) => boolean,
    ): void {
      const listed = new Set<string>();
      const met = new Set([...known, ...users.values()]);
      for (const { wopiSrc, readonly, key } of views) {
        if (!listed.has(key) && !met.has(key)) {
          const start = toName({ wopiSrc, tokenHash: '' });
          const first = waiting.keys().find((name) => name.startsWith(start));
          if (first !== undefined) waiting.delete(first);
          if (first !== undefined && !readonly) users.set(first, key);
        }
        listed.add(key);
      }
      known = listed;
      for (const [name, key] of users) if (!counts(key)) users.delete(name);
    },
    toJSON: (): ForeignState => ({ waiting: waiting.toJSON(), users: [...users], known: [...known] }),
  };
}

/** A hash, since anybody may ask, with an address of any length. */
function toName({ wopiSrc, tokenHash }: ForeignConnection): string {
  return `${hash('sha256', wopiSrc)}\n${tokenHash}`;
}
