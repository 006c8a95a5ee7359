import { apart, type Clock } from '../../../src/common/clock.ts';

/** For how long it is remembered that a document was loaded. */
const MEMORY_MS = 24 * 3_600_000;

/** Remembers when the editor last fetched each document: what it saves from then on contains nothing older. */
export interface Loads {
  add(docId: string): void;
  /** Epoch milliseconds; null when it is not known. */
  at(docId: string): number | null;
}

/** In memory: after a restart of the gate nothing is known of what was loaded before. */
export function createLoads(clock: Clock): Loads {
  const times = new Map<string, number>();
  return {
    add(docId) {
      const now = clock();
      for (const [other, at] of times) if (apart(now, at) > MEMORY_MS) times.delete(other);
      times.set(docId, now);
    },
    at: (docId) => times.get(docId) ?? null,
  };
}
