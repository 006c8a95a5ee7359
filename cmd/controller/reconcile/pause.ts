import { ANNOTATION } from '../desired/labels.ts';
import { type Finding, findCondition } from './conditions.ts';
import type { SvcInstance } from './instances.ts';

/** Returns whether somebody has asked that nothing of the instance be written but its status. */
export function isPaused({ metadata }: Pick<SvcInstance, 'metadata'>): boolean {
  return metadata.annotations?.[ANNOTATION.paused] === 'true';
}

/** `Paused`, which every instance has. */
export function pauseFinding(instance: Pick<SvcInstance, 'metadata'>): Finding {
  const kept = 'Objects are kept in line with the spec';
  if (isPaused(instance)) {
    const message = `Objects are not changed until the annotation ${ANNOTATION.paused} is removed.`;
    return { type: 'Paused', status: 'True', reason: 'Asked', message };
  }
  const { [ANNOTATION.paused]: asked = 'false' } = instance.metadata.annotations ?? {};
  if (asked !== 'false') {
    // `True`, `yes` or `1`: whoever wrote it may be sure that nothing is touched now.
    const message = `${kept}: the annotation ${ANNOTATION.paused} pauses nothing unless it is exactly "true".`;
    return { type: 'Paused', status: 'False', reason: 'NotUnderstood', message };
  }
  return { type: 'Paused', status: 'False', reason: 'NotAsked', message: `${kept}.` };
}

/**
 * `Ready` of a paused instance whose spec is not the one that was last applied as a whole, however well what there is may
 * run. One that was refused, or only half of which was written, was not.
 */
export function pausedReadiness(instance: Pick<SvcInstance, 'metadata' | 'status'>): Finding | undefined {
  if (!isPaused(instance)) return undefined;
  if (instance.status?.appliedGeneration === instance.metadata.generation) return undefined;
  const message = `The spec has changed; it is applied when the annotation ${ANNOTATION.paused} is removed.`;
  return { type: 'Ready', status: 'False', reason: 'Paused', message };
}

/** `LicenseValid` of a paused instance: as it was, since no pod gets another licence before the pause is over. */
export function pausedLicense(instance: Pick<SvcInstance, 'metadata' | 'status'>): Finding | undefined {
  if (!isPaused(instance)) return undefined;
  const before = findCondition(instance.status?.conditions ?? [], 'LicenseValid');
  const message = `The licence is not checked until the annotation ${ANNOTATION.paused} is removed.`;
  if (!before) return { type: 'LicenseValid', status: 'Unknown', reason: 'Paused', message };
  return { type: 'LicenseValid', status: before.status, reason: before.reason, message: before.message };
}
