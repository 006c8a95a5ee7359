import type { V1PodDisruptionBudget } from '@kubernetes/client-node';
import { type Manifest, metadata, selectorLabels } from './labels.ts';
import { objectNames } from './names.ts';
import type { ComponentName, Situation } from './types.ts';

/**
 * Returns the number of pods of a component that a drain may take at once. With a single pod that must be one, or no
 * node could ever be drained; a pod that is not ready anyway holds nobody up.
 */
export function disruptionBudget(situation: Situation, component: ComponentName): Manifest<V1PodDisruptionBudget> {
  const { instance } = situation;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(situation, objectNames(instance.metadata.name).component[component], component),
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: selectorLabels(instance, component) },
    },
  };
}
