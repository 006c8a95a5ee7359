import type { LicenseState } from '../../../src/common/crypto/license.ts';
import { MB } from '../../../src/common/errors.ts';
import type { DocbuilderStatus } from '../../../src/common/generated/wire.ts';
import { applyLowering, type DocbuilderLimits, type DocbuilderPlan, docbuilderPlan } from '../../../src/common/plan.ts';

export interface EffectivePlan extends DocbuilderPlan {
  /** With the number of workers filled in, after the variables that lower limits. */
  limits: DocbuilderLimits & { parallel_jobs: number };
  /** The plan's own number of parallel jobs; null: one for each worker. */
  parallelJobs: number | null;
}

/** Computes the limits in force (contract: Limits, Plan selection). @param workers of all replicas */
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

/** The load of a replica. */
export interface Load {
  workers: DocbuilderStatus['workers'];
  running: number;
  queued: number;
  /** Further jobs that would have run at once at any moment of the last second. */
  free: number;
  /** Further jobs that would run or wait. */
  room: number;
  /** It accepts nothing new. */
  leaving: boolean;
}

/** Another DocBuilder of the instance, as it was a second ago. */
export interface Replica extends Load {
  id: string;
  /** Host and port. */
  address: string;
}

/** The DocBuilders of an instance, which share its limits. */
export interface Group {
  /** The others, in the order in which they joined. */
  others(): readonly Replica[];
  /** The number of the others that joined before this one and stay. */
  rank(): number;
}

/** The group of a single DocBuilder. */
export const ALONE: Group = { others: () => [], rank: () => 0 };

/** Returns the sum of a figure of all replicas. */
export function sumOverGroup(own: number, group: Group, figure: (replica: Replica) => number): number {
  return group.others().reduce((sum, replica) => sum + figure(replica), own);
}

/** Returns a replica's part of the instance's limits; all parts add up to the limit. */
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
