import type { KubernetesObject } from '../k8s/api.ts';
import { licenseSecret } from './data-service.ts';
import { docbuilderObjects } from './docbuilder.ts';
import { httpRouteObjects, ingressObjects } from './edge.ts';
import { editorObjects } from './editor.ts';
import { frontObjects } from './front.ts';
import { gateObjects } from './gate.ts';
import { networkPolicyObjects } from './network-policies.ts';
import { secretObjects } from './secrets.ts';
import type { Situation } from './types.ts';

const PARTS: readonly ((situation: Situation) => readonly KubernetesObject[])[] = [
  secretObjects,
  (situation) => [licenseSecret(situation)],
  gateObjects,
  docbuilderObjects,
  editorObjects,
  frontObjects,
  networkPolicyObjects,
  ingressObjects,
  httpRouteObjects,
];

/** Objects that others refer to come first, those that lead to pods last. A stage is begun when the one before is written. */
const STAGES = [
  ['ServiceAccount', 'Secret', 'ConfigMap', 'PersistentVolumeClaim', 'NetworkPolicy', 'Service'],
  ['Deployment'],
  ['PodDisruptionBudget', 'HorizontalPodAutoscaler', 'Ingress', 'HTTPRoute'],
];
const ORDER = STAGES.flat();

/** All objects of an instance, in the order in which to apply them. */
export function desired(situation: Situation): KubernetesObject[] {
  return PARTS.flatMap((part) => part(situation)).toSorted((one, other) => rank(one) - rank(other));
}

function rank({ kind }: KubernetesObject): number {
  return ORDER.indexOf(kind);
}

/** Returns the number of the stage in which an object is applied. */
export function applyStage({ kind }: Pick<KubernetesObject, 'kind'>): number {
  return STAGES.findIndex((kinds) => kinds.includes(kind));
}
