import type { RequestHandler } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { EffectivePlan } from '../jobs/limits.ts';

export interface PlanHandlers {
  plan: () => EffectivePlan;
  audit: Audit;
}

/** Refuses work that the plan does not include, before anything of it is read (contract: Limits, DocBuilder limits). */
export function whenInPlan({ plan, audit }: PlanHandlers, path: string): RequestHandler {
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
