import type { LicenseState } from '../../../src/common/crypto/license.ts';
import { MB } from '../../../src/common/errors.ts';
import { applyLowering, type DocbuilderLimits, type DocbuilderPlan, docbuilderPlan } from '../../../src/common/plan.ts';

/** The plan's limits with the number of workers filled in, after the variables that only lower them. */
export type EffectiveLimits = DocbuilderLimits & { parallel_jobs: number };

export interface EffectivePlan extends DocbuilderPlan {
  limits: EffectiveLimits;
  /** The plan's own number of parallel jobs; null: as many as there are workers. */
  parallelJobs: number | null;
}

/**
 * Computes the limits in force right now (contract: Limits, Plan selection).
 * @param workers of all replicas
 */
export function effectivePlan(
  license: LicenseState,
  workers: number,
  lowering: Parameters<typeof applyLowering>[1],
): EffectivePlan {
  const plan = docbuilderPlan(license);
  const limits = applyLowering(plan.limits, lowering);
  const { parallel_jobs: parallelJobs } = limits;
  return { ...plan, parallelJobs, limits: { ...limits, parallel_jobs: parallelJobs ?? workers } };
}

/** The largest input or output, in bytes. */
export function maxFileBytes({ limits }: EffectivePlan): number {
  return limits.max_file_mb * MB;
}
