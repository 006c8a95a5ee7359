import { hasEnded, type Pod, type PodTrouble, taintCommand } from './pod-trouble.ts';

/** A kubelet removes a pod within seconds of the end of its grace period. Milliseconds. */
const REMOVAL_MS = 60_000;

/**
 * Says that the node of a pod does not answer. The controller may not read nodes; the pods tell. Kubernetes gives those
 * with volumes to another node after five minutes, but the volumes only when somebody says that the old node is gone
 * for good.
 * @param now epoch milliseconds
 */
export function nodeTrouble(pod: Pod, now: number): PodTrouble | undefined {
  const node = pod.spec?.nodeName;
  // Others have the places of these, which hold nothing any more.
  if (node === undefined || hasEnded(pod) || !(isNodeSilent(pod) || isOverdue(pod, now))) return undefined;
  return {
    reason: 'NodeLost',
    message:
      `Node ${node} of pod ${pod.metadata.name} does not answer: bring it back. If it is gone for good, ` +
      `${taintCommand(node)} frees the volume for another node.`,
  };
}

/**
 * The node lifecycle controller takes `Ready` away from all pods of a node that it does not hear of. A kubelet would have
 * taken `ContainersReady` away first.
 */
function isNodeSilent({ spec, status }: Pod): boolean {
  if (status?.reason === 'NodeLost') return true;
  const is = (type: string, value: string) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === value) ?? false;
  const gated = (spec?.readinessGates ?? []).length > 0;
  return is('Ready', 'False') && is('ContainersReady', 'True') && !gated;
}

/** Kubernetes writes down when a deleted pod has to be gone. */
function isOverdue({ metadata: { deletionTimestamp } }: Pod, now: number): boolean {
  return deletionTimestamp !== undefined && now - new Date(deletionTimestamp).getTime() > REMOVAL_MS;
}
