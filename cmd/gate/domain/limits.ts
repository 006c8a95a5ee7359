import type { LicenseState } from '../../../src/common/crypto/license.ts';
import type { GateLimits } from '../../../src/common/generated/wire.ts';
import {
  COUNTING,
  connectionPlan,
  docbuilderPlan,
  MIN_CONNS_PER_ORDER,
  WHITELABEL_FEATURE,
} from '../../../src/common/plan.ts';

const WHITELABEL_NOTE = 'Để gỡ thương hiệu, cần có giấy phép Enterprise với tính năng whitelabel.';

export interface LimitSettings {
  /** Lowers the plan's connections; undefined where nothing was set. */
  connectionCap: number | undefined;
  embed: { enabled: boolean; maxFileMb: number; sessionTtlMinutes: number };
}

/** Editing connections in force: what the plan allows, lowered by the cap (contract: Connections and embedding). */
export function connectionLimit(license: LicenseState, connectionCap: number | undefined): number {
  const { connections } = connectionPlan(license);
  return Math.min(connections, connectionCap ?? connections);
}

/** The body of `GET /svc/limits` (contract: Gate limits). */
export function gateLimits(license: LicenseState, { connectionCap, embed }: LimitSettings): GateLimits {
  const plan = connectionPlan(license);
  const limit = connectionLimit(license, connectionCap);
  const whitelabel = plan.features.includes(WHITELABEL_FEATURE);
  const docbuilder = docbuilderPlan(license);
  return {
    edition: plan.edition,
    connections: {
      limit,
      plan_limit: plan.connections,
      cap: limit < plan.connections ? limit : null,
      min_per_order: MIN_CONNS_PER_ORDER,
    },
    whitelabel,
    whitelabel_note: whitelabel ? null : WHITELABEL_NOTE,
    features: plan.features,
    editor_embed: {
      enabled: embed.enabled,
      save_callback: embed.enabled,
      max_file_mb: embed.maxFileMb,
      session_ttl_minutes: embed.sessionTtlMinutes,
    },
    docbuilder: { allowed_endpoints: docbuilder.allowed_endpoints, ...docbuilder.limits },
    counting: { ...COUNTING },
  };
}
