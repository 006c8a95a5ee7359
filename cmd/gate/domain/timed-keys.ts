/** Keys that each stay for a while from when they were last added. Times are epoch milliseconds. */
export interface TimedKeys {
  /** Adds a key, or restarts its time. */
  add(key: string, now: number): void;
  remove(key: string): void;
  has(key: string): boolean;
  keys(): Iterable<string>;
  size(): number;
  /** Drops those whose time is over. */
  expire(now: number): void;
}

/** @param stayMs how long each stays, milliseconds */
export function createTimedKeys(stayMs: number): TimedKeys {
  // In the order of their ends, since all stay equally long.
  const ends = new Map<string, number>();

  function add(key: string, now: number): void {
    ends.delete(key);
    ends.set(key, now + stayMs);
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
  };
}
