/** Keys that each stay for a while from when they were last added. Times are epoch milliseconds. */
export interface TimedKeys {
  /** Adds a key, or begins its time anew. */
  add(key: string, now: number): void;
  remove(key: string): void;
  has(key: string): boolean;
  keys(): Iterable<string>;
  size(): number;
  /** Drops those whose time is over. */
  expire(now: number): void;
}

export function createTimedKeys(stayMs: number): TimedKeys {
  // In the order of their ends, since all stay equally long.
  const ends = new Map<string, number>();
  return {
    add(key, now) {
      ends.delete(key);
      ends.set(key, now + stayMs);
    },
    remove: (key) => void ends.delete(key),
    has: (key) => ends.has(key),
    keys: () => ends.keys(),
    size: () => ends.size,
    expire(now) {
      for (const [key, end] of ends) {
        if (end > now) break;
        ends.delete(key);
      }
    },
  };
}
