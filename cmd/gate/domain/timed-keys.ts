export type TimedKeys = ReturnType<typeof createTimedKeys>;

/**
 * Keys that each stay for `stayMs` from when they were last added. @param stored keys with their ends, epoch
 * milliseconds
 */
export function createTimedKeys(stayMs: number, stored: Iterable<[key: string, end: number]> = []) {
  // In the order of their ends, since all stay equally long.
  const ends = new Map(stored);

  /** Adds a key, or restarts its time. */
  function add(key: string, now: number): void {
    if (ends.get(key) === now + stayMs) return;
    ends.delete(key);
    ends.set(key, now + stayMs);
  }

  return {
    add,
    remove: (key: string) => ends.delete(key),
    has: (key: string) => ends.has(key),
    keys: () => ends.keys(),
    size: () => ends.size,
    expire(now: number): void {
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
