import type { Clock } from '../../../src/common/clock.ts';

/** Milliseconds of delay after the first repair, the factor for each further one, and the longest. */
const BACKOFF = { firstMs: 1, factor: 1.5, longestMs: 300_000 };
/** After that time without a repair the count begins anew. Milliseconds. */
const FORGET_MS = 600_000;

/**
 * Delays an instance's next reconcile exponentially, the more often one of its objects had to be repaired: two controllers that
 * want something else of the same object would otherwise overwrite each other at the speed of the network. The first twenty
 * repairs come within seconds, since somebody may edit one field after the other.
 */
export class RepairLimiter {
  readonly #repairs = new Map<string, { count: number; at: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a repair of an object. */
  count(object: string): void {
    const now = this.#clock();
    const count = (this.#recent(object, now)?.count ?? 0) + 1;
    // Those that were repaired again last are last.
    this.#repairs.delete(object);
    this.#repairs.set(object, { count, at: now });
    for (const old of this.#repairs.keys()) {
      if (this.#recent(old, now)) break;
      this.#repairs.delete(old);
    }
  }

  /** Returns the milliseconds after which a change of this object may be looked at. */
  delayMs(object: string): number {
    const now = this.#clock();
    const recent = this.#recent(object, now);
    if (!recent) return 0;
    const { firstMs, factor, longestMs } = BACKOFF;
    return Math.max(0, recent.at + Math.min(longestMs, firstMs * factor ** recent.count) - now);
  }

  #recent(object: string, now: number): { count: number; at: number } | undefined {
    const repairs = this.#repairs.get(object);
    // Times to come are those of a clock that was wrong.
    return repairs && repairs.at > now - FORGET_MS && repairs.at <= now ? repairs : undefined;
  }
}
