import type { RequestHandler, Response } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import type { RateLimiter, Reservation } from './rate-limit.ts';

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
