import plan from '../../schemas/plan.json' with { type: 'json' };
import type { LicenseState } from './crypto/license.ts';
import type { DocbuilderLimits as WireLimits } from './generated/wire.ts';

export type Edition = 'community' | 'enterprise';

/** DocBuilder's limits; `parallel_jobs` null: one for each worker. */
export type DocbuilderLimits = Omit<WireLimits['limits'], 'parallel_jobs'> & { parallel_jobs: number | null };

export interface DocbuilderPlan {
  edition: Edition;
  limits: DocbuilderLimits;
  /** Features of the licence; empty in Community. */
  features: string[];
  /** Method and path, such as `POST /v1/convert`. */
  allowed_endpoints: string[];
}

/** The feature that `GET /svc/limits` shows as `whitelabel` (contract: Gate limits). */
export const WHITELABEL_FEATURE = plan.whitelabel_feature;

/** Features with an effect. */
export const LICENSE_FEATURES: readonly string[] = [
  plan.docbuilder.enterprise_feature,
  plan.docbuilder.callback_feature,
  WHITELABEL_FEATURE,
];

/** Limit of workers (contract: worker pool settings). */
export const MAX_WORKERS = 32;

/** Longest job of any plan, seconds. */
export const LONGEST_JOB_SECONDS = Math.max(
  plan.docbuilder.community.job_timeout_seconds,
  plan.docbuilder.enterprise.job_timeout_seconds,
);

/** Least connections of an order (contract: Connections and embedding). */
export const MIN_CONNS_PER_ORDER = plan.connections.min_per_order;

/** Times of the gate's counting, seconds (contract: Connections and embedding). */
export const COUNTING = plan.counting;

/** The gate's plan; `connections` are concurrent editing ones. */
type ConnectionPlan = Pick<DocbuilderPlan, 'edition' | 'features'> & { connections: number };

/**
 * Returns the gate's plan (contract: Connections and embedding): with a licence in force exactly its connections, even
 * if Community has more.
 */
export function connectionPlan(license: LicenseState): ConnectionPlan {
  const claims = inForce(license) ? license.claims : null;
  if (!claims) return { edition: 'community', connections: plan.connections.community, features: [] };
  return { edition: 'enterprise', connections: claims.conns, features: [...claims.features] };
}

/**
 * Returns DocBuilder's plan (contract: Plan selection): Enterprise with a licence in force and the feature `api_full`.
 */
export function docbuilderPlan(license: LicenseState): DocbuilderPlan {
  const { community, enterprise, endpoints, enterprise_only_endpoints, ...rules } = plan.docbuilder;
  const claims = inForce(license) ? license.claims : null;
  if (!claims?.features.includes(rules.enterprise_feature)) {
    return {
      edition: 'community',
      limits: { ...community, callback: false },
      features: [],
      allowed_endpoints: endpoints.filter((endpoint) => !enterprise_only_endpoints.includes(endpoint)),
    };
  }
  return {
    edition: 'enterprise',
    limits: {
      ...enterprise,
      rate_per_minute: enterpriseRate(claims.conns),
      callback: claims.features.includes(rules.callback_feature),
    },
    features: [...claims.features],
    allowed_endpoints: [...endpoints],
  };
}

/** Lowers limits to the operator's (contract: Plan selection). */
export function applyLowering(
  limits: DocbuilderLimits,
  lowering: { maxFileMb?: number | undefined; jobTimeoutSeconds?: number | undefined },
): DocbuilderLimits {
  return {
    ...limits,
    max_file_mb: Math.min(limits.max_file_mb, lowering.maxFileMb ?? limits.max_file_mb),
    job_timeout_seconds: Math.min(limits.job_timeout_seconds, lowering.jobTimeoutSeconds ?? limits.job_timeout_seconds),
  };
}

function inForce({ state }: LicenseState): boolean {
  return state === 'valid' || state === 'grace';
}

/** Returns requests per minute, a step for every started block of connections, within bounds. */
function enterpriseRate(conns: number): number {
  const { per_step, conns_per_step, min, max } = plan.docbuilder.enterprise_rate_per_minute;
  return Math.min(Math.max(per_step * Math.ceil(conns / conns_per_step), min), max);
}
