import type { RequestHandler, Response } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { RateLimited, type RateLimiter, type Usage } from '../jobs/rates.ts';

export interface RateHandlers {
  rates: RateLimiter;
  audit: Audit;
}

/** Counts a work request, refuses it with 429 when a window is full, and puts the rate headers on the response. */
export function countRequest({ rates, audit }: RateHandlers): RequestHandler {
  return async (_request, response, next) => {
    const counted = await rates.take().catch((error) => {
      if (error instanceof RateLimited) {
        audit.record('rate.refused');
        setRateHeaders(response, error.usage);
      }
      throw error;
    });
    setRateHeaders(response, counted.usage);
    const end = response.writeHead;
    // A 403 is not counted; only the status tells, and only when the head is written.
    response.writeHead = function writeHead(this: Response, ...args: unknown[]) {
      if (this.statusCode === 403) setRateHeaders(this, counted.refund());
      return Reflect.apply(end, this, args);
    } as typeof response.writeHead;
    next();
  };
}

/** Contract: What is counted, header table. */
function setRateHeaders(response: Response, { minute, day }: Usage): void {
  response.setHeader('X-RateLimit-Limit', String(minute.limit));
  response.setHeader('X-RateLimit-Remaining', String(minute.remaining));
  response.setHeader('X-RateLimit-Reset', String(Math.ceil(minute.resetAt / 1000)));
  if (day.limit === null) return;
  response.setHeader('X-RateLimit-Limit-Day', String(day.limit));
  response.setHeader('X-RateLimit-Remaining-Day', String(day.remaining));
}
