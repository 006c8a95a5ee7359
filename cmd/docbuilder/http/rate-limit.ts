import type { RequestHandler, Response } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
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

interface Usage {
  minute: WindowUsage;
  day: WindowUsage;
}

/** One counted request; `refund` takes it back (contract: a request refused with 401 or 403 is not counted). */
interface Reservation {
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
      minute: toUsage(this.#minute, rates.minute, MINUTE),
      day: toUsage(this.#day, rates.day, DAY),
    };
  }

  #limited(window: 'minute' | 'day', resetAt: number): AppError {
    return new AppError('rate_limited', { window }, { retryAfter: (resetAt - this.#clock()) / 1000 });
  }
}

function toUsage({ start, used }: Window, limit: number | null, length: number): WindowUsage {
  return {
    limit,
    used,
    remaining: limit === null ? null : Math.max(0, limit - used),
    resetAt: start + length,
  };
}

export interface RateHandlers {
  rates: RateLimiter;
  audit: Audit;
}

/** Counts a work request, refuses it with 429 when a window is full, and puts the rate headers on the response. */
export function countRequest({ rates, audit }: RateHandlers): RequestHandler {
  return (_request, response, next) => {
    let reservation: Reservation;
    try {
      reservation = rates.take();
    } catch (error) {
      audit.record('rate.refused');
      throw error;
    } finally {
      setRateHeaders(response, rates);
    }
    const end = response.writeHead;
    // A 403 is not counted; only the status tells, and only when the head is written.
    response.writeHead = function writeHead(this: Response, ...args: unknown[]) {
      if (this.statusCode === 403) {
        reservation.refund();
        setRateHeaders(this, rates);
      }
      return Reflect.apply(end, this, args);
    } as typeof response.writeHead;
    next();
  };
}

/** Contract: What is counted, header table. */
function setRateHeaders(response: Response, rates: RateLimiter): void {
  const { minute, day } = rates.usage();
  response.setHeader('X-RateLimit-Limit', String(minute.limit));
  response.setHeader('X-RateLimit-Remaining', String(minute.remaining));
  response.setHeader('X-RateLimit-Reset', String(Math.ceil(minute.resetAt / 1000)));
  if (day.limit === null) return;
  response.setHeader('X-RateLimit-Limit-Day', String(day.limit));
  response.setHeader('X-RateLimit-Remaining-Day', String(day.remaining));
}
