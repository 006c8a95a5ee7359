import type { RequestHandler, Response } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { EffectivePlan } from '../jobs/limits.ts';
import { RateLimited, type RateLimiter, type Usage } from '../jobs/rates.ts';

export interface AdmissionHandlers {
  plan: () => EffectivePlan;
  rates: RateLimiter;
  store: JobStore;
  /** Answers to work requests that this process still owes. */
  underWay: Set<Response>;
  audit: Audit;
}

/** Refuses work that the plan does not include (contract: DocBuilder limits), and work whose result cannot be stored. */
export function admit({ plan, store, audit }: AdmissionHandlers, path: string): RequestHandler {
  const feature = path.replace('/v1/', '');
  return (_request, _response, next) => {
    const { edition, allowed_endpoints } = plan();
    if (!allowed_endpoints.includes(`POST ${path}`)) {
      audit.record('feature.refused', { feature });
      throw new AppError('forbidden_feature', { feature, edition });
    }
    store.assertReady();
    next();
  };
}

/** Counts a work request, refuses it with 429 when a window is full, and sets the rate headers. */
export function countRequest({ rates, underWay, audit }: AdmissionHandlers): RequestHandler {
  return async (_request, response, next) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    const counted = await rates.take().catch((error) => {
      if (error instanceof RateLimited) {
        audit.record('rate.refused');
        setRateHeaders(response, error.usage);
      }
      throw error;
    });
    setRateHeaders(response, counted.usage);
    const end = response.writeHead;
    // A 403 is not counted, and the status is final only here.
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
