import type { V1Pod } from '@kubernetes/client-node';
import type { KubernetesObject } from '../k8s/api.ts';

export type Pod = V1Pod & KubernetesObject;

/** Why a pod does not run: a word for a condition, and a sentence without figures that change by themselves. */
export interface PodTrouble {
  reason: string;
  message: string;
}

/** Returns whether a pod has run to its end, or failed for good. */
export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** Says for good that a node is gone, so that Kubernetes frees its volumes. */
export function taintCommand(node: string): string {
  return `kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`;
}
