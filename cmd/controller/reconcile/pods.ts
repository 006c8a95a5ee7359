import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { ComponentName } from '../desired/types.ts';
import type { Client, KubernetesObject, Resource } from '../k8s/types.ts';

const PODS: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const COMPONENT_LABEL = 'app.kubernetes.io/component';

/** Why a pod does not run: a word for a condition, and a sentence. */
export interface PodTrouble {
  reason: string;
  message: string;
}

const IMAGE_REASONS = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const CONFIG_REASONS = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

/** What keeps the pods of an instance from running, by component. */
export async function podTroubles(
  client: Client,
  namespace: string,
  instance: string,
): Promise<Map<ComponentName, PodTrouble>> {
  const labelSelector = `app.kubernetes.io/name=svc,app.kubernetes.io/instance=${instance}`;
  const { items } = await client.list<V1Pod & KubernetesObject>(PODS, { namespace, labelSelector, limit: 200 });
  const troubles = new Map<ComponentName, PodTrouble>();
  for (const pod of items) {
    const component = pod.metadata.labels?.[COMPONENT_LABEL] as ComponentName | undefined;
    const trouble = troubleOf(pod);
    // The newest pod is listed in no particular place; any that has trouble tells more than none.
    if (component && trouble && !troubles.has(component)) troubles.set(component, trouble);
  }
  return troubles;
}

/** What keeps a pod from running; undefined when nothing is known to. Holds no figures that change by themselves. */
export function troubleOf(pod: V1Pod & KubernetesObject): PodTrouble | undefined {
  const { name } = pod.metadata;
  const { status } = pod;
  // Evicted, or lost with its node: it stays in the list for days, and another has its place.
  const over = status?.phase === 'Failed' || status?.phase === 'Succeeded';
  if (over || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
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
  const first = status?.initContainerStatuses?.filter(({ state }) => state?.terminated?.exitCode !== 0) ?? [];
  const containers = [...first, ...(status?.containerStatuses ?? [])];
  return containers.map((container) => containerTrouble(name, container)).find((trouble) => trouble !== undefined);
}

function containerTrouble(pod: string, container: V1ContainerStatus): PodTrouble | undefined {
  const { state, lastState, image } = container;
  const reason = state?.waiting?.reason ?? '';
  if (IMAGE_REASONS.has(reason)) {
    return {
      reason: 'ImagePullFailed',
      message: `Pod ${pod} cannot pull ${image}: check the name, and spec.images.pullSecrets for a private registry.`,
    };
  }
  if (CONFIG_REASONS.has(reason)) {
    return { reason: 'ContainerRefused', message: `Pod ${pod} cannot start: ${state?.waiting?.message ?? reason}.` };
  }
  const ended = state?.terminated ?? lastState?.terminated;
  if (!ended || (reason !== 'CrashLoopBackOff' && !state?.terminated)) return undefined;
  const how = ended.reason === 'OOMKilled' ? 'it ran out of memory' : `exit code ${ended.exitCode}`;
  return {
    reason: ended.reason === 'OOMKilled' ? 'OutOfMemory' : 'Crashing',
    message: `Pod ${pod} keeps ending (${how}): see kubectl logs --previous ${pod}.`,
  };
}
