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
  /** Undefined: they need not be looked at. */
  pods?: readonly Pod[];
  running: RunningDocbuilder;
  /** Resources in the Deployment's template. */
  resources: PodResources | undefined;
}

/** The progress of pods towards their size. */
interface ResizeResult {
  /** Why one cannot have it, for the user. */
  remark?: string | undefined;
  pending: boolean;
}

/**
 * Brings DocBuilder's pods to the size that the licence wants, as it runs. A template that changes replaces the pod, which ends
 * running jobs first and takes no others for as long. So where only the size is another one, the template stays as it is, and
 * the pod gets its new size by itself (`pods/resize`).
 */
export class DocbuilderResizer {
  readonly #options: { client: Client; owned: Pick<OwnedObjects, 'find'> };
  /** A cluster older than Kubernetes 1.33 cannot do it: there the template changes. */
  #resizable = true;
  /** By key of an instance, the size that all its pods were found to have. */
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

  /** Returns the objects of an instance; DocBuilder's Deployment with the size of before, where nothing else is to change. */
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

  /** Has the pods resized that have not their size. One that is refused it, or waits for it, is looked at again each time. */
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

  /** Forgets an instance that is no more. */
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

  /** Returns whether applying a Deployment would change its pods, as the API server itself finds out in a dry run. */
  async #changesPods(deployment: KubernetesObject | undefined, wanted: PodResources): Promise<boolean> {
    if (!deployment) return true;
    const resource = findResource(deployment);
    const { namespace, name } = deployment.metadata;
    const live = await this.#options.client.get<Deployment>(resource, namespace, name);
    if (!live || !isSizeApplied(live, wanted)) return true;
    try {
      // Another annotation would count as a change, too.
      const object = markApplied(deployment);
      const result = await this.#options.client.apply<Deployment>(resource, object as Deployment, {
        manager: MANAGED_BY,
        dryRun: true,
      });
      // Another number of pods replaces none of them.
      return !isDeepStrictEqual(result.spec?.template, live.spec?.template);
    } catch (error) {
      // What is wrong with it the apply itself will tell; and a webhook may let nobody try. The pods are resized in any case.
      if (isRefused(error)) return false;
      throw error;
    }
  }
}

/** Returns whether the size in a template is one that the controller has applied, and not what somebody else made of it. */
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

/** Returns the MiB that the kubelet has given a pod, or is about to where it has not started it yet. */
function memoryMiB(pod: Pod): number | undefined {
  const status = pod.status?.containerStatuses?.find(({ name }) => name === 'docbuilder');
  const limit = quantityValue((status?.resources ?? docbuilderContainer(pod)?.resources)?.limits?.['memory']);
  return limit === undefined ? undefined : Math.floor(limit / MiB);
}

/** Limits never shrink under a job that runs; what a pod only may use, and does not, is nobody's loss. */
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

/** Reads how far the kubelet has got with a size that the pod's spec has. */
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

/** Returns whether the API server does not know the subresource; a pod that is gone has another text. */
function isUnknownSubresource({ status, message }: ApiError): boolean {
  return (status === 404 || status === 405) && !/pods? "/.test(message);
}
