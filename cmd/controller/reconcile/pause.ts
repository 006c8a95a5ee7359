import { ANNOTATION } from '../desired/labels.ts';
import type { Finding } from './conditions.ts';
import type { SvcInstance } from './instances.ts';

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
