import { createTimedKeys } from './timed-keys.ts';

/** A connection to a document of another WOPI host, as it asked to be let in. */
interface Connection {
  wopiSrc: string;
  tokenHash: string;
}

/** A view of such a document, and what it counts as. */
interface SeenView {
  wopiSrc: string;
  readonly: boolean;
  key: string;
}

/** Reservations on documents of other WOPI hosts, until the editor lists those who made them. */
export interface ForeignReservations {
  /** Returns whether that made a difference. */
  reserve(connection: Connection, now: number): boolean;
  has(connection: Connection): boolean;
  /** Returns the key of the view that the connection turned out to be. */
  userOf(connection: Connection): string | undefined;
  size(): number;
  expire(now: number): void;
  /**
   * Takes in the views that the editor lists. It names users and knows no tokens, so each user who is new on a document
   * is taken for the one who has waited longest for it, whether they edit or turn out to only read.
   * @param counts whether a key still counts as a connection
   */
  match(views: readonly SeenView[], counts: (key: string) => boolean): void;
  toJSON(): ForeignState;
}

/** All that is known of them, as JSON. */
export interface ForeignState {
  /** The requests that wait, each with its deadline. */
  waiting: [name: string, end: number][];
  /** The views that those who waited turned out to be. */
  users: [name: string, key: string][];
  /** Keys of the last list. */
  known: string[];
}

/**
 * @param stayMs how long a reservation stays, milliseconds
 * @param stored what is known of them
 */
export function createForeignReservations(stayMs: number, stored?: ForeignState): ForeignReservations {
  const waiting = createTimedKeys(stayMs, stored?.waiting);
  const users = new Map<string, string>(stored?.users);
  let known: ReadonlySet<string> = new Set(stored?.known);

  return {
    reserve: (connection, now) => waiting.add(toName(connection), now),
    has: (connection) => waiting.has(toName(connection)),
    userOf: (connection) => users.get(toName(connection)),
    size: waiting.size,
    expire: waiting.expire,
    match(views, counts) {
      const listed = new Set<string>();
      const met = new Set([...known, ...users.values()]);
      for (const { wopiSrc, readonly, key } of views) {
        if (!listed.has(key) && !met.has(key)) {
          const first = findFirst(waiting.keys(), wopiSrc);
          if (first !== undefined) waiting.remove(first);
          if (first !== undefined && !readonly) users.set(first, key);
        }
        listed.add(key);
      }
      known = listed;
      for (const [name, key] of users) if (!counts(key)) users.delete(name);
    },
    toJSON: () => ({ waiting: waiting.toJSON(), users: [...users], known: [...known] }),
  };
}

function toName({ wopiSrc, tokenHash }: Connection): string {
  return `${wopiSrc}\n${tokenHash}`;
}

function findFirst(names: Iterable<string>, wopiSrc: string): string | undefined {
  for (const name of names) if (name.startsWith(`${wopiSrc}\n`)) return name;
  return undefined;
}
