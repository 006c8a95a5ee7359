import type { V1Container } from '@kubernetes/client-node';
import type { SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import { desired } from '../desired/index.ts';
import { COMPONENT_LABEL, selectorLabels, selectorText } from '../desired/labels.ts';
import { namesOf } from '../desired/names.ts';
import { docbuilderSizing, type Sizing } from '../desired/sizing.ts';
import type { Instance, PodResources, RunningDocbuilder, Situation } from '../desired/types.ts';
import { ApiError } from '../k8s/api-error.ts';
import type { Client, KubernetesObject } from '../k8s/types.ts';
import { hashOf } from './hash.ts';
import type { MadePod } from './made-pod.ts';
import type { OwnedCache } from './owned.ts';
import type { Pod } from './pod-trouble.ts';
import { PODS } from './pods.ts';
import { quantityValue, sameQuantity } from './quantity.ts';

const MANAGER = 'svc-controller-size';
const MiB = 1024 * 1024;

/** What was found of DocBuilder before anything is applied. */
export interface DocbuilderFound {
  pod: Pod | undefined;
  running: RunningDocbuilder;
  made: MadePod | undefined;
}

/** How a pod was brought to its size. */
export interface Fitted {
  /** For the user: it cannot have it. */
  note?: string;
  /** It has not got it yet. */
  waits: boolean;
}

/** Brings DocBuilder's pod to the size that the licence wants, as it runs. */
export interface DocbuilderSizes {
  /** @param told the status: what was wanted when it was last dealt with */
  look(situation: Situation, told: SvcInstanceStatus['docbuilder']): Promise<DocbuilderFound>;
  /** The objects of an instance; those of DocBuilder with the size of before, where nothing else is to change. */
  objects(situation: Situation, found: DocbuilderFound): KubernetesObject[];
  fit(situation: Situation, found: DocbuilderFound): Promise<Fitted>;
}

/**
 * A template that changes replaces the pod, which ends running jobs first and takes no others for as long. So where only
 * the size is another one, the template stays as it is, and the pod that runs gets its new size by itself (`pods/resize`).
 */
export function createDocbuilderSizes({ client, owned }: { client: Client; owned: OwnedCache }): DocbuilderSizes {
  /** A cluster older than Kubernetes 1.33 cannot do it: there the template changes. */
  let resizable = true;

  async function runningPod(instance: Instance): Promise<Pod | undefined> {
    const { namespace } = instance.metadata;
    const labelSelector = selectorText(selectorLabels(instance, 'docbuilder'));
    const { items } = await client.list<Pod>(PODS, { namespace, labelSelector, limit: 20 });
    return items.find(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined && ['Pending', 'Running'].includes(status?.phase ?? ''),
    );
  }

  return {
    async look(situation, told) {
      const { namespace, name } = situation.instance.metadata;
      const metadata = { namespace, name: namesOf(name).component.docbuilder };
      const made = owned.find({ kind: 'Deployment', metadata })?.made;
      if (!made || isSettled(docbuilderSizing(situation), made, told)) return { pod: undefined, made, running: {} };
      const pod = await runningPod(situation.instance);
      const memory = pod && memoryOf(pod);
      return { pod, made, running: { ...(memory !== undefined && { memory }) } };
    },

    objects(situation, { made }) {
      const fresh = desired(situation);
      if (!made || !resizable || isMade(fresh, made)) return fresh;
      const kept = desired({ ...situation, docbuilder: { ...situation.docbuilder, template: made.resources } });
      return isMade(kept, made) ? kept : fresh;
    },

    async fit(situation, { pod }) {
      const container = pod && containerOf(pod);
      const { docbuilder } = situation.instance.spec;
      if (!container || docbuilder.pod.resources) return { waits: false };
      const resources = grown(docbuilderSizing(situation).resources, container.resources ?? {});
      if (sameResources(resources, container.resources ?? {})) return resizeOf(pod);
      try {
        await client.apply(PODS, resized(pod, resources), { manager: MANAGER, subresource: 'resize' });
        return { waits: true };
      } catch (error) {
        if (!(error instanceof ApiError) || ![400, 403, 404, 405, 422].includes(error.status)) throw error;
        if (isUnknown(error)) resizable = false;
        if (isUnknown(error) || error.status === 404) return { waits: true };
        return { waits: true, note: `Pod ${pod.metadata.name} cannot be resized: ${error.message}. ${goesOn(pod)}` };
      }
    },
  };
}

/** Whether its pod was made as it is wanted, and nothing else was wanted since: there is no need to look at it. */
function isSettled({ workers, resources }: Sizing, made: MadePod, told: SvcInstanceStatus['docbuilder']): boolean {
  const same = told?.workers === workers && sameQuantity(told.memory, resources.limits?.['memory']);
  return same && sameResources(resources, made.resources);
}

/** Whether DocBuilder's Deployment among `objects` is the one that was last applied. */
function isMade(objects: readonly KubernetesObject[], { hash }: MadePod): boolean {
  return objects.some((object) => isDocbuilder(object) && hashOf(object) === hash);
}

function isDocbuilder({ kind, metadata: { labels } }: KubernetesObject): boolean {
  return kind === 'Deployment' && labels?.[COMPONENT_LABEL] === 'docbuilder';
}

function containerOf({ spec }: Pod): V1Container | undefined {
  return spec?.containers.find(({ name }) => name === 'docbuilder');
}

/** MiB that the kubelet has given it, or is about to where it has not started it yet. */
function memoryOf(pod: Pod): number | undefined {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === 'docbuilder');
  const limit = quantityValue((status?.resources ?? containerOf(pod)?.resources)?.limits?.['memory']);
  return limit === undefined ? undefined : Math.floor(limit / MiB);
}

/** Limits never shrink under a job that runs; what a pod only may use, and does not, is nobody's loss. */
function grown({ requests = {}, limits = {} }: PodResources, now: PodResources): PodResources {
  const largest = Object.entries(limits).map(([name, value]) => {
    const has = now.limits?.[name];
    return [name, (quantityValue(has) ?? 0) > (quantityValue(value) ?? 0) ? (has ?? value) : value];
  });
  return { requests, limits: Object.fromEntries(largest) };
}

function sameResources(wanted: PodResources, now: PodResources): boolean {
  return (['requests', 'limits'] as const).every((part) =>
    Object.entries(wanted[part] ?? {}).every(([name, value]) => sameQuantity(value, now[part]?.[name])),
  );
}

function resized({ metadata: { namespace, name, uid } }: Pod, resources: PodResources): KubernetesObject {
  const spec = { containers: [{ name: 'docbuilder', resources }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, uid }, spec } as KubernetesObject;
}

/** How far the kubelet has got with a size that the pod's spec has. */
function resizeOf(pod: Pod): Fitted {
  const condition = (type: string) =>
    pod.status?.conditions?.find((candidate) => candidate.type === type && candidate.status === 'True');
  const pending = condition('PodResizePending');
  if (!pending) return { waits: condition('PodResizeInProgress') !== undefined };
  const why = pending.message || pending.reason || 'no room';
  return {
    waits: true,
    note: `The node of pod ${pod.metadata.name} has no room for its new size: ${why}. ${goesOn(pod)}`,
  };
}

function goesOn({ metadata }: Pod): string {
  return (
    `DocBuilder goes on with the workers that it has memory for. Make room on the node, or delete pod ${metadata.name} ` +
    'when no job runs.'
  );
}

/** The API server does not know the subresource; a pod that is gone has another text. */
function isUnknown({ status, message }: ApiError): boolean {
  return (status === 404 || status === 405) && !/pods? "/.test(message);
}
