import { iso } from '../../../src/common/clock.ts';
import type { SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import { clip } from '../../../src/common/truncate.ts';

/** metav1.Condition. */
export type Condition = NonNullable<SvcInstanceStatus['conditions']>[number];

const TYPES = [
  'Ready',
  'Reconciling',
  'Stalled',
  'GateAvailable',
  'DocBuilderAvailable',
  'EditorAvailable',
  'FrontAvailable',
  'EdgeReady',
  'StorageReady',
  'LicenseValid',
  'Paused',
] as const;

export type ConditionType = (typeof TYPES)[number];

/** A condition without the time of its last transition. */
export interface Finding {
  type: ConditionType;
  status: Condition['status'];
  reason: string;
  message: string;
  /** Default: the newest. */
  observedGeneration?: number;
}

/** The longest message that the schema takes. */
const MAX_MESSAGE = 32_768;

/**
 * Findings as conditions. The time of the last transition is that of the last change of `status`.
 * @param now epoch milliseconds
 */
export function toConditions(
  findings: readonly Finding[],
  previous: readonly Condition[],
  generation: number,
  now: number,
): Condition[] {
  return findings.map(({ type, status, reason, message, observedGeneration = generation }) => {
    const before = findCondition(previous, type);
    return {
      type,
      status,
      observedGeneration,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : iso(now).replace(/\.\d+Z$/, 'Z'),
      reason,
      message: clip(message, MAX_MESSAGE),
    };
  });
}

/** Conditions of the controller's own types, in the order of `TYPES`. Others may add theirs. */
export function ownConditions(conditions: readonly Condition[]): Condition[] {
  return TYPES.flatMap((type) => findCondition(conditions, type) ?? []);
}

export function findCondition(conditions: readonly Condition[], type: ConditionType): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** A condition as it was. */
export function formerFinding(conditions: readonly Condition[], type: ConditionType): Finding | undefined {
  const before = findCondition(conditions, type);
  if (!before) return undefined;
  const { lastTransitionTime: _, ...finding } = before;
  return { ...finding, type };
}
