/** Of one slab. */
const SLAB_BYTES = 262_144;
/** What is held ready while nobody needs it. */
const IDLE_BYTES = 16 * 1024 * 1024;

/**
 * Memory for bytes that arrive, in pieces of one size that are used again and again: the garbage of a large save, made
 * anew for each, would take longer to collect than the save takes.
 */
export interface Slabs {
  /** One with any bytes in it. */
  take(): Buffer;
  /** Gives back what nobody reads or writes any more. */
  give(slabs: readonly Buffer[]): void;
  /** Counts one as kept for a second reading; false when all together would keep too much. */
  keep(): boolean;
  /** So many are kept no longer. */
  release(count: number): void;
}

/** @param keptBytes what all together may keep */
export function createSlabs(keptBytes: number, { slabBytes = SLAB_BYTES, idleBytes = IDLE_BYTES } = {}): Slabs {
  const idle: Buffer[] = [];
  let left = Math.floor(keptBytes / slabBytes);
  return {
    take: () => idle.pop() ?? Buffer.allocUnsafeSlow(slabBytes),
    give: (slabs) => {
      idle.push(...slabs.slice(0, Math.floor(idleBytes / slabBytes) - idle.length));
    },
    keep: () => {
      if (left === 0) return false;
      left -= 1;
      return true;
    },
    release: (count) => {
      left += count;
    },
  };
}
