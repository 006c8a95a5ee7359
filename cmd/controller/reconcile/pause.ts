import { ANNOTATION } from '../desired/labels.ts';
import { conditionOf, type Finding } from './conditions.ts';
import type { SvcInstance } from './instances.ts';

/** Of `Ready`, while a pause keeps a changed spec from being applied. */
const HELD_BACK = 'Paused';

/** Whether somebody has asked that nothing of the instance be written but its status. */
export function isPaused({ metadata }: Pick<SvcInstance, 'metadata'>): boolean {
  return metadata.annotations?.[ANNOTATION.paused] === 'true';
}

export function pauseFinding(instance: Pick<SvcInstance, 'metadata'>): Finding {
  return isPaused(instance)
    ? {
        type: 'Paused',
        status: 'True',
        reason: 'Asked',
        message: `Objects are left as they are until the annotation ${ANNOTATION.paused} is taken away.`,
      }
    : { type: 'Paused', status: 'False', reason: 'NotAsked', message: 'Objects are kept as the spec says.' };
}

/** `Ready` of a paused instance whose spec is not the one that was last applied, however well what there is may run. */
export function heldBack(instance: Pick<SvcInstance, 'metadata' | 'status'>): Finding | undefined {
  if (!isPaused(instance)) return undefined;
  const ready = conditionOf(instance.status?.conditions ?? [], 'Ready');
  const applied = ready?.reason !== HELD_BACK && ready?.observedGeneration === instance.metadata.generation;
  if (applied) return undefined;
  const message = `The spec has changed and counts when the annotation ${ANNOTATION.paused} is taken away.`;
  return { type: 'Ready', status: 'False', reason: HELD_BACK, message };
}
