import type { LicenseState } from '../../../src/common/crypto/license.ts';
import { MB } from '../../../src/common/errors.ts';
import { applyLowering, type DocbuilderLimits, type DocbuilderPlan, docbuilderPlan } from '../../../src/common/plan.ts';

/** The plan's limits with the number of workers filled in, after the variables that only lower them. */
export type EffectiveLimits = DocbuilderLimits & { parallel_jobs: number };

export interface EffectivePlan extends DocbuilderPlan {
  limits: EffectiveLimits;
}

/** Computes the limits in force right now (contract: Limits, Plan selection). */
export function effectivePlan(
  license: LicenseState,
  workers: number,
  lowering: Parameters<typeof applyLowering>[1],
): EffectivePlan {
  const plan = docbuilderPlan(license);
  const limits = applyLowering(plan.limits, lowering);
  return { ...plan, limits: { ...limits, parallel_jobs: limits.parallel_jobs ?? workers } };
}

/** The largest input or output, in bytes. */
export function maxFileBytes({ limits }: EffectivePlan): number {
  return limits.max_file_mb * MB;
}
