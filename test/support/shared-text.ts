import type { SharedText } from '../../cmd/gate/domain/ports.ts';

/** A text that gates share, in memory; `writes` counts those that were taken. */
export function createSharedText(clock: () => number = () => 0): SharedText & { writes(): number } {
  let stored = { version: 0, text: undefined as string | undefined };
  return {
    read: async (known) => ({ ...stored, text: known === stored.version ? undefined : stored.text, now: clock() }),
    async write(text, version) {
      if (version !== stored.version) return false;
      stored = { version: version + 1, text };
      return true;
    },
    writes: () => stored.version,
  };
}
