import { type Clock, VIETNAM_OFFSET_MS } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Requests allowed in each window; null is unlimited. */
export interface Rates {
  minute: number;
  day: number | null;
}

export interface WindowUsage {
  limit: number | null;
  used: number;
  remaining: number | null;
  /** Epoch milliseconds at which the window ends. */
  resetAt: number;
}

export interface Usage {
  minute: WindowUsage;
  day: WindowUsage;
}

/** One counted request. */
interface Counted {
  /** The windows, this request included. */
  usage: Usage;
  /** Takes the request back (contract: a 403 is not counted). @returns the windows without it */
  refund(): Usage;
}

/**
 * Counts work requests of the whole instance in two fixed windows: the UTC clock minute and the day in Vietnam
 * (contract: What is counted).
 */
export interface RateLimiter {
  /** Counts one request. @throws {RateLimited}; such a request is not counted */
  take(): Promise<Counted>;
  usage(): Promise<Usage>;
}

/** A window is full. */
export class RateLimited extends AppError {
  readonly usage: Usage;

  constructor(usage: Usage, now: number) {
    const window = usage.day.remaining === 0 ? 'day' : 'minute';
    super('rate_limited', { window }, { retryAfter: (usage[window].resetAt - now) / 1000 });
    this.usage = usage;
  }
}

interface Window {
  start: number;
  used: number;
}

/** Counts in memory. @param rates is called at every request: a licence may change them at any time */
export function createRateLimiter(rates: () => Rates, clock: Clock): RateLimiter {
  let minute: Window = { start: 0, used: 0 };
  let day: Window = { start: 0, used: 0 };

  function usage(): Usage {
    const now = clock();
    const minuteStart = now - (now % MINUTE_MS);
    const dayStart = now - ((now + VIETNAM_OFFSET_MS) % DAY_MS);
    if (minute.start !== minuteStart) minute = { start: minuteStart, used: 0 };
    if (day.start !== dayStart) day = { start: dayStart, used: 0 };
    return toUsage(minute, day, rates());
  }

  return {
    usage: async () => usage(),
    async take() {
      const before = usage();
      if (before.minute.remaining === 0 || before.day.remaining === 0) throw new RateLimited(before, clock());
      const counted = [minute, day];
      for (const window of counted) window.used += 1;
      return {
        usage: usage(),
        refund: () => {
          for (const window of counted.splice(0)) window.used -= 1;
          return usage();
        },
      };
    },
  };
}

/** Computes the usage of both windows. */
export function toUsage(minute: Window, day: Window, rates: Rates): Usage {
  const toWindow = ({ start, used }: Window, limit: number | null, length: number): WindowUsage => {
    const remaining = limit === null ? null : Math.max(0, limit - used);
    return { limit, used, remaining, resetAt: start + length };
  };
  return { minute: toWindow(minute, rates.minute, MINUTE_MS), day: toWindow(day, rates.day, DAY_MS) };
}
