/** Keys that each stay for a while from when they were last added. Times are epoch milliseconds. */
export interface TimedKeys {
  /** Adds a key, or restarts its time. Returns whether that made a difference. */
  add(key: string, now: number): boolean;
  remove(key: string): void;
  has(key: string): boolean;
  keys(): Iterable<string>;
  size(): number;
  /** Drops those whose time is over. */
  expire(now: number): void;
  /** Returns each with its end, for `createTimedKeys` to begin with. */
  toJSON(): [key: string, end: number][];
}

/**
 * @param stayMs how long each stays, milliseconds
 * @param stored those to begin with
 */
export function createTimedKeys(stayMs: number, stored: Iterable<[string, number]> = []): TimedKeys {
  // In the order of their ends, since all stay equally long.
  const ends = new Map<string, number>(stored);

  function add(key: string, now: number): boolean {
    if (ends.get(key) === now + stayMs) return false;
    ends.delete(key);
    ends.set(key, now + stayMs);
    return true;
  }

  return {
    add,
    remove: (key) => void ends.delete(key),
    has: (key) => ends.has(key),
    keys: () => ends.keys(),
    size: () => ends.size,
    expire(now) {
      for (const [key, end] of ends) {
        // The clock was set back since: nobody knows how much of its time is left.
        if (end > now + stayMs) add(key, now);
        else if (end > now) break;
        else ends.delete(key);
      }
    },
    toJSON: () => [...ends],
  };
}
