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
  /** Answers to work requests that are under way in this process. */
  underWay: Set<Response>;
  audit: Audit;
}

/** Refuses work that the plan does not include, before anything of it is read (contract: Limits, DocBuilder limits). */
export function whenInPlan({ plan, audit }: AdmissionHandlers, path: string): RequestHandler {
  const endpoint = `POST ${path}`;
  const feature = path.replace('/v1/', '');
  return (_request, _response, next) => {
    const { edition, allowed_endpoints } = plan();
    if (!allowed_endpoints.includes(endpoint)) {
      audit.record('feature.refused', { feature });
      throw new AppError('forbidden_feature', { feature, edition });
    }
    next();
  };
}

/** Refuses work whose result could not be kept, before it is counted. */
export function whenReady({ store }: AdmissionHandlers): RequestHandler {
  return (_request, _response, next) => {
    store.assertReady();
    next();
  };
}

/** Knows a work request that this process itself answers, while it lasts. */
export function keepUnderWay({ underWay }: AdmissionHandlers): RequestHandler {
  return (_request, response, next) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    next();
  };
}

/** Counts a work request, refuses it with 429 when a window is full, and puts the rate headers on the response. */
export function countRequest({ rates, audit }: AdmissionHandlers): RequestHandler {
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
