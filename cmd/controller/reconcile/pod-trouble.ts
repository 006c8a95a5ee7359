import type { V1Pod } from '@kubernetes/client-node';
import type { KubernetesObject } from '../k8s/types.ts';

export type Pod = V1Pod & KubernetesObject;

/** Why a pod does not run: a word for a condition, and a sentence without figures that change by themselves. */
export interface PodTrouble {
  reason: string;
  message: string;
}
