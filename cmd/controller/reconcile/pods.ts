import { COMPONENT_LABEL } from '../desired/labels.ts';
import type { ComponentName } from '../desired/types.ts';
import type { Resource } from '../k8s/api.ts';
import type { Client } from '../k8s/client.ts';
import { containerTrouble } from './containers.ts';
import { nodeTrouble } from './lost-nodes.ts';
import { eventTrouble } from './pod-events.ts';
import { hasEnded, type Pod, type PodTrouble } from './pod-trouble.ts';

export const PODS: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
/** After this time nothing is likely to get better by itself, as with a Deployment that makes no progress. Milliseconds. */
const STALLED_MS = 600_000;

/** A trouble, and whether it has lasted for so long that somebody has to act. */
export type LastingTrouble = PodTrouble & { stalled: boolean };

/**
 * Finds out why the pods of an instance do not run, by component. A lost node comes first: the pods that should replace
 * those on it may wait for their volumes, and that is the reason.
 * @param now epoch milliseconds
 */
export async function podTroubles(
  client: Client,
  namespace: string,
  instance: string,
  now: number,
): Promise<Map<ComponentName, LastingTrouble>> {
  const labelSelector = `app.kubernetes.io/name=svc,app.kubernetes.io/instance=${instance}`;
  const { items } = await client.list<Pod>(PODS, { namespace, labelSelector, limit: 200 });
  const troubles = new Map<ComponentName, LastingTrouble>();
  for (const find of [nodeTrouble, findPodTrouble, (pod: Pod) => eventTrouble(client, pod)]) {
    for (const pod of items) {
      const component = pod.metadata.labels?.[COMPONENT_LABEL] as ComponentName | undefined;
      if (!component || troubles.has(component)) continue;
      const trouble = await find(pod, now);
      if (trouble) troubles.set(component, { ...trouble, stalled: now - unreadySince(pod) >= STALLED_MS });
    }
  }
  return troubles;
}

/** Reads from a pod's own status why it does not run; undefined when that does not tell. */
export function findPodTrouble(pod: Pod): PodTrouble | undefined {
  const { name } = pod.metadata;
  if (isOver(pod)) return undefined;
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) {
    const message = unscheduled.message ?? 'no node can take it';
    const volume = /persistentvolumeclaim/i.test(message);
    return volume
      ? {
          reason: 'VolumePending',
          message: `Pod ${name} is waiting for its volume: ${message}. Is there a StorageClass?`,
        }
      : { reason: 'Unschedulable', message: `No node can take pod ${name}: ${message}` };
  }
  // Others may have put containers into it that end in order before ours start.
  const first = pod.status?.initContainerStatuses?.filter(({ state }) => state?.terminated?.exitCode !== 0) ?? [];
  const containers = [...first, ...(pod.status?.containerStatuses ?? [])];
  return containers.map((container) => containerTrouble(name, container)).find((trouble) => trouble !== undefined);
}

/** Evicted, or lost with its node: it stays in the list for days, and another has its place. */
function isOver(pod: Pod): boolean {
  return hasEnded(pod) || pod.metadata.deletionTimestamp !== undefined;
}

/** Epoch milliseconds of when a pod was last ready, or of when it came to be. */
function unreadySince({ metadata, status }: Pod): number {
  const time = (type: string) => status?.conditions?.find((one) => one.type === type)?.lastTransitionTime;
  // JSON has no dates, whatever the types say.
  return new Date(time('Ready') ?? time('PodScheduled') ?? metadata.creationTimestamp ?? '').getTime();
}
