import type { Clock } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Vietnam is UTC+7 all year. */
const VIETNAM_OFFSET = 7 * 3_600_000;

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

/** One counted request; `refund` takes it back (contract: a request refused with 401 or 403 is not counted). */
export interface Reservation {
  refund(): void;
}

interface Window {
  start: number;
  used: number;
}

/**
 * Counts work requests of the whole instance in two fixed windows: the UTC clock minute and the day in Vietnam
 * (contract: What is counted).
 */
export class RateLimiter {
  readonly #rates: () => Rates;
  readonly #clock: Clock;
  #minute: Window = { start: 0, used: 0 };
  #day: Window = { start: 0, used: 0 };

  /** @param rates asked at every request: a licence may change them at any time */
  constructor(rates: () => Rates, clock: Clock) {
    this.#rates = rates;
    this.#clock = clock;
  }

  /**
   * Counts one request.
   * @throws {AppError} `rate_limited` with `detail.window`; such a request is not counted
   */
  take(): Reservation {
    const { minute, day } = this.usage();
    if (day.remaining === 0) throw this.#limited('day', day.resetAt);
    if (minute.remaining === 0) throw this.#limited('minute', minute.resetAt);
    const counted = [this.#minute, this.#day];
    for (const window of counted) window.used += 1;
    let open = true;
    return {
      refund: () => {
        if (open) for (const window of counted) window.used -= 1;
        open = false;
      },
    };
  }

  usage(): Usage {
    const now = this.#clock();
    const minuteStart = now - (now % MINUTE);
    const dayStart = now - ((now + VIETNAM_OFFSET) % DAY);
    if (this.#minute.start !== minuteStart) this.#minute = { start: minuteStart, used: 0 };
    if (this.#day.start !== dayStart) this.#day = { start: dayStart, used: 0 };
    const rates = this.#rates();
    return {
      minute: usageOf(this.#minute, rates.minute, MINUTE),
      day: usageOf(this.#day, rates.day, DAY),
    };
  }

  #limited(window: 'minute' | 'day', resetAt: number): AppError {
    return new AppError('rate_limited', { window }, { retryAfter: (resetAt - this.#clock()) / 1000 });
  }
}

function usageOf({ start, used }: Window, limit: number | null, length: number): WindowUsage {
  return {
    limit,
    used,
    remaining: limit === null ? null : Math.max(0, limit - used),
    resetAt: start + length,
  };
}
