import type { EffectivePlan } from '../../../cmd/docbuilder/jobs/limits.ts';

/** The part of a plan by which scripts are checked. */
export const PLAN = {
  edition: 'enterprise',
  limits: { max_outputs_per_build: 5, max_script_units: 20_000, max_file_mb: 64 },
} as EffectivePlan;
