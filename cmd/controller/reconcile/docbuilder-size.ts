import { isDeepStrictEqual } from 'node:util';
import type { V1Container, V1Deployment } from '@kubernetes/client-node';
import { desired } from '../desired/index.ts';
import { COMPONENT_LABEL, MANAGED_BY, selectorLabels, selectorText } from '../desired/labels.ts';
import { objectNames } from '../desired/names.ts';
import { docbuilderSizing } from '../desired/sizing.ts';
import type { Instance, PodResources, RunningDocbuilder, Situation } from '../desired/types.ts';
import { findResource, getKey, type KubernetesObject } from '../k8s/api.ts';
import { type ApiError, hasStatus } from '../k8s/api-error.ts';
import type { Client } from '../k8s/client.ts';
import { isRefused, markApplied } from './apply.ts';
import { appliedFields, quantityValue, sameQuantity } from './live-object.ts';
import type { OwnedObjects } from './owned-objects.ts';
import { PODS, type Pod } from './pods.ts';

type Deployment = V1Deployment & KubernetesObject;

const MANAGER = 'svc-controller-size';
const MiB = 1024 * 1024;

/** DocBuilder as it was found before anything is applied. */
export interface DocbuilderFound {
  /** Undefined: all are known to have their size. */
  pods?: readonly Pod[];
  running: RunningDocbuilder;
  /** Resources in the Deployment's template. */
  resources: PodResources | undefined;
}

interface ResizeResult {
  /** Why a pod cannot have its size. */
  remark?: string | undefined;
  pending: boolean;
}

/**
 * Brings DocBuilder's pods to the size that the licence wants. A change of the template would replace the pod, so where only the size
 * changes, the template stays as it is, and the pod is resized in place (`pods/resize`).
 */
export class DocbuilderResizer {
  readonly #options: { client: Client; owned: Pick<OwnedObjects, 'find'> };
  /** False before Kubernetes 1.33: there the template changes. */
  #resizable = true;
  /** By key of an instance: the size that all its pods have. */
  readonly #settled = new Map<string, PodResources>();

  constructor(options: { client: Client; owned: Pick<OwnedObjects, 'find'> }) {
    this.#options = options;
  }

  async observe(situation: Situation): Promise<DocbuilderFound> {
    const { namespace, name } = situation.instance.metadata;
    const key = getKey(situation.instance);
    const metadata = { namespace, name: objectNames(name).component.docbuilder };
    const { resources, rollout } = this.#options.owned.find({ kind: 'Deployment', metadata }) ?? {};
    const replicas = rollout?.desired;
    const wanted = docbuilderSizing({ ...situation, docbuilder: { replicas } }).resources;
    // A pod that is made from now on has the size in the template.
    const isSettled =
      resources && sameResources(wanted, resources) && isDeepStrictEqual(this.#settled.get(key), wanted);
    if (!resources || isSettled) return { resources, running: { replicas } };
    this.#settled.delete(key);
    const pods = await this.#runningPods(situation.instance);
    const memories = pods.flatMap((pod) => memoryMiB(pod) ?? []);
    // All of them read the same number of workers.
    const memory = memories.length > 0 ? Math.min(...memories) : undefined;
    return { pods, resources, running: { memory, replicas } };
  }

  /** Returns the objects of an instance; DocBuilder's Deployment keeps its size where nothing else changes. */
  async objects(situation: Situation, { resources }: DocbuilderFound): Promise<KubernetesObject[]> {
    const fresh = desired(situation);
    const wanted = docbuilderSizing(situation).resources;
    if (!resources || !this.#resizable || sameResources(wanted, resources)) return fresh;
    const kept = desired({ ...situation, docbuilder: { ...situation.docbuilder, template: resources } });
    const deployment = kept.find(
      ({ kind, metadata: { labels } }) => kind === 'Deployment' && labels?.[COMPONENT_LABEL] === 'docbuilder',
    );
    return (await this.#changesPods(deployment, wanted)) ? fresh : kept;
  }

  /** Resizes the pods that do not have their size. */
  async resize(situation: Situation, { pods }: DocbuilderFound): Promise<ResizeResult> {
    if (!pods) return { pending: false };
    const results: ResizeResult[] = [];
    if (!situation.instance.spec.docbuilder.pod.resources) {
      for (const pod of pods) results.push(await this.#resizePod(situation, pod));
    }
    const remark = results.find((result) => result.remark !== undefined)?.remark;
    const pending = results.some((result) => result.pending);
    if (!pending) this.#settled.set(getKey(situation.instance), docbuilderSizing(situation).resources);
    return { pending, ...(remark !== undefined && { remark }) };
  }

  /** Forgets a deleted instance. */
  forget(key: string): void {
    this.#settled.delete(key);
  }

  async #resizePod(situation: Situation, pod: Pod): Promise<ResizeResult> {
    const container = docbuilderContainer(pod);
    if (!container) return { pending: false };
    const resources = withoutSmallerLimits(docbuilderSizing(situation).resources, container.resources ?? {});
    if (sameResources(resources, container.resources ?? {})) return resizeProgress(pod);
    try {
      const { namespace, name, uid } = pod.metadata;
      const spec = { containers: [{ name: 'docbuilder', resources }] };
      const patch = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, uid }, spec } as KubernetesObject;
      await this.#options.client.apply(PODS, patch, { manager: MANAGER, subresource: 'resize' });
      return { pending: true };
    } catch (error) {
      if (!hasStatus(error, 400, 403, 404, 405, 422)) throw error;
      if (isUnknownSubresource(error)) this.#resizable = false;
      if (isUnknownSubresource(error) || error.status === 404) return { pending: true };
      const { name } = pod.metadata;
      return { pending: true, remark: `Pod ${name} cannot be resized: ${error.message}. ${resizeAdvice(pod)}` };
    }
  }

  async #runningPods(instance: Instance): Promise<Pod[]> {
    const { namespace } = instance.metadata;
    const labelSelector = selectorText(selectorLabels(instance, 'docbuilder'));
    const { items } = await this.#options.client.list<Pod>(PODS, { namespace, labelSelector, limit: 200 });
    return items.filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined && ['Pending', 'Running'].includes(status?.phase ?? ''),
    );
  }

  /** Returns whether applying a Deployment would change its template, by a dry run. */
  async #changesPods(deployment: KubernetesObject | undefined, wanted: PodResources): Promise<boolean> {
    if (!deployment) return true;
    const resource = findResource(deployment);
    const { namespace, name } = deployment.metadata;
    const live = await this.#options.client.get<Deployment>(resource, namespace, name);
    if (!live || !isSizeApplied(live, wanted)) return true;
    try {
      const object = markApplied(deployment);
      const result = await this.#options.client.apply<Deployment>(resource, object as Deployment, {
        manager: MANAGED_BY,
        dryRun: true,
      });
      return !isDeepStrictEqual(result.spec?.template, live.spec?.template);
    } catch (error) {
      // The apply itself will tell what is wrong; and a webhook may admit no dry run.
      if (isRefused(error)) return false;
      throw error;
    }
  }
}

/** Returns whether the controller has applied the size in a template. */
function isSizeApplied(live: Deployment, wanted: PodResources): boolean {
  const containers = appliedFields(live)?.['f:spec']?.['f:template']?.['f:spec']?.['f:containers'];
  const applied = containers?.['k:{"name":"docbuilder"}']?.['f:resources'];
  return (['requests', 'limits'] as const).every((part) =>
    Object.keys(wanted[part] ?? {}).every((name) => applied?.[`f:${part}`]?.[`f:${name}`] !== undefined),
  );
}

function docbuilderContainer({ spec }: Pod): V1Container | undefined {
  return spec?.containers.find(({ name }) => name === 'docbuilder');
}

/** The MiB that the kubelet has given a pod, or will give it. */
function memoryMiB(pod: Pod): number | undefined {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === 'docbuilder');
  const limit = quantityValue((status?.resources ?? docbuilderContainer(pod)?.resources)?.limits?.['memory']);
  return limit === undefined ? undefined : Math.floor(limit / MiB);
}

/** Limits never shrink: a job may run that has begun with the larger one. */
function withoutSmallerLimits({ requests = {}, limits = {} }: PodResources, now: PodResources): PodResources {
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

/** How far the kubelet has got with the size in a pod's spec. */
function resizeProgress(pod: Pod): ResizeResult {
  const condition = (type: string) =>
    pod.status?.conditions?.find((candidate) => candidate.type === type && candidate.status === 'True');
  const pending = condition('PodResizePending');
  // Until the kubelet has heard of it there is no condition either.
  if (!pending) return { pending: condition('PodResizeInProgress') !== undefined || !hasItsMemory(pod) };
  const why = pending.message || pending.reason || 'no room';
  return {
    pending: true,
    remark: `The node of pod ${pod.metadata.name} has no room for its new size: ${why}. ${resizeAdvice(pod)}`,
  };
}

/** Returns whether the kubelet has given a pod the memory that its spec has. */
function hasItsMemory(pod: Pod): boolean {
  const limit = quantityValue(docbuilderContainer(pod)?.resources?.limits?.['memory']) ?? 0;
  return (memoryMiB(pod) ?? Number.POSITIVE_INFINITY) >= Math.floor(limit / MiB);
}

function resizeAdvice({ metadata: { name } }: Pod): string {
  return `DocBuilder goes on with the workers that it has memory for. Make room on the node, or delete pod ${name} when no job runs.`;
}

/** Returns whether the API server does not know the subresource; for a missing pod it has another text. */
function isUnknownSubresource({ status, message }: ApiError): boolean {
  return (status === 404 || status === 405) && !/pods? "/.test(message);
}
