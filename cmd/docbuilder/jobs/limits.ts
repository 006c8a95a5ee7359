import type { LicenseState } from '../../../src/common/crypto/license.ts';
import { MB } from '../../../src/common/errors.ts';
import type { DocbuilderStatus } from '../../../src/common/generated/wire.ts';
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

/** The work that a replica has and can take. */
export interface Load {
  workers: DocbuilderStatus['workers'];
  running: number;
  queued: number;
  /** Jobs that would have run at once at any moment of the last second. */
  free: number;
  /** Jobs that would run or wait. */
  room: number;
  /** It takes nothing new. */
  leaving: boolean;
}

/** Another DocBuilder of the instance, as it was a second ago. */
export interface Replica extends Load {
  id: string;
  /** Host and port. */
  address: string;
}

/** The DocBuilders of an instance, which has its limits in common. */
export interface Group {
  /** The others, in the order in which they joined. */
  others(): readonly Replica[];
  /** The number of the others that joined before this one and stay. */
  rank(): number;
}

/** The only one of its instance. */
export const ALONE: Group = { others: () => [], rank: () => 0 };

/** The number of workers of all replicas. */
export function sumOverGroup(own: number, group: Group, figure: (replica: Replica) => number): number {
  return group.others().reduce((sum, replica) => sum + figure(replica), own);
}

/** The part of an instance's limits that one replica has: all parts together are the limit. */
export function getShare(
  { limits, parallelJobs }: EffectivePlan,
  workers: number,
  group: Group,
): { parallel: number; capacity: number } {
  const rank = group.rank();
  const count = group.others().filter(({ leaving }) => !leaving).length + 1;
  // Jobs wait only where some can run.
  const sharers = Math.min(count, parallelJobs ?? count);
  if (rank >= sharers) return { parallel: 0, capacity: 0 };
  return {
    parallel: parallelJobs === null ? workers : part(parallelJobs, sharers, rank),
    capacity: part(limits.max_queued_jobs, sharers, rank),
  };
}

function part(total: number, count: number, rank: number): number {
  return Math.floor(total / count) + (rank < total % count ? 1 : 0);
}
