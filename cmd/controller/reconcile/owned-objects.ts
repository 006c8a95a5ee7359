import type { V1Deployment } from '@kubernetes/client-node';
import { ANNOTATION, INSTANCE_LABEL, MANAGED_BY } from '../desired/labels.ts';
import { KIND } from '../desired/names.ts';
import type { PodResources } from '../desired/types.ts';
import type { KubernetesObject } from '../k8s/api.ts';
import { type EdgeObject, parseEdgeObject } from './edge.ts';
import { appliedAt } from './live-object.ts';
import { parseRollout, type Rollout } from './readiness.ts';

/** The members that the controller keeps of an object that it made. */
export interface OwnedObject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /** Key of its instance, by its owner or its labels. */
  instance: string;
  /** Undefined: it has no owner. */
  ownerUid: string | undefined;
  /** The controller has applied it. */
  marked: boolean;
  deleting: boolean;
  resourceVersion: string;
  /** State of a Deployment. */
  rollout: Rollout | undefined;
  /** Resources in the template of DocBuilder's Deployment. */
  resources: PodResources | undefined;
  /** State of an Ingress or HTTPRoute. */
  edge: EdgeObject | undefined;
}

export type Named = Pick<KubernetesObject, 'kind' | 'metadata'>;

/** The last apply of an object. */
interface Applied {
  /** Digest of what was sent. */
  digest: string;
  /** The resourceVersion of the answer. */
  version: string;
  /** Raised by changes of the spec; undefined for kinds without one. */
  generation: number | undefined;
  /** Digest of what was sent for it: a claim is sent with the class that Kubernetes gave it. */
  sent: string;
  /** When an apply last changed it, by the API server's clock. */
  time: string | undefined;
  /** When an answer last told of a change, monotonic milliseconds. */
  changedAt: number;
}

/** Two applies that are further apart have different times. */
const SAME_TIME_MS = 2_000;

/** The controller's objects as the watches show them, and what it has applied. */
export class OwnedObjects {
  readonly #objects = new Map<string, OwnedObject>();
  readonly #byInstance = new Map<string, Set<OwnedObject>>();
  readonly #applied = new Map<string, Applied>();
  /** Applies without an answer yet, and whether a watch has shown the object meanwhile. */
  readonly #applying = new Map<string, boolean>();
  readonly #onChange: (instance: string, id: string) => void;

  /** @param onChange called with instance and id of an object that somebody has changed while it was applied */
  constructor(onChange: (instance: string, id: string) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#objects.size;
  }

  find(object: Named): OwnedObject | undefined {
    return this.#objects.get(getId(object));
  }

  of(instance: string): OwnedObject[] {
    return [...(this.#byInstance.get(instance) ?? [])];
  }

  /** @returns the instances to reconcile: none where the object is as it was applied, else its instance and its former one */
  observe(object: KubernetesObject): string[] {
    const id = getId(object);
    const before = this.#remove(id);
    const now = parseOwned(object);
    if (now) {
      this.#objects.set(id, now);
      this.#byInstance.set(now.instance, (this.#byInstance.get(now.instance) ?? new Set()).add(now));
      if (now.resourceVersion === this.#applied.get(id)?.version) return [];
      if (this.#applying.has(id) && (before ?? now).instance === now.instance) {
        this.#applying.set(id, true);
        return [];
      }
    }
    return [...new Set([now?.instance, before?.instance])].filter((instance) => instance !== undefined);
  }

  /** @returns the instance that has lost the object */
  remove(object: KubernetesObject): string[] {
    const id = getId(object);
    const before = this.#objects.get(id);
    if (before && before.uid !== object.metadata.uid) return [];
    this.#remove(id);
    this.#applied.delete(id);
    const instance = (before ?? parseOwned(object))?.instance;
    return instance === undefined ? [] : [instance];
  }

  /** Returns whether this process has applied the same before, and nobody has changed the object since. */
  isApplied(object: Named, digest: string): boolean {
    const [known, applied] = [this.find(object), this.#applied.get(getId(object))];
    return known?.deleting === false && applied?.digest === digest && applied.version === known.resourceVersion;
  }

  /**
   * The time of the controller's fields, to the second, tells of a change; a version is also raised by that of a status.
   * @param digest of what is wanted
   * @param sent digest of what was sent for it
   * @returns whether the same was sent before, and somebody else has changed it since
   */
  recordApply(answer: KubernetesObject, digest: string, sent = digest): boolean {
    const id = getId(answer);
    const before = this.#applied.get(id);
    const { resourceVersion: version = '', generation } = answer.metadata;
    const [time, now] = [appliedAt(answer), performance.now()];
    const same = before?.sent === sent ? before : undefined;
    const isRecent = same !== undefined && now - same.changedAt < SAME_TIME_MS;
    const isRepair = same !== undefined && (same.time !== time || (isRecent && same.generation !== generation));
    const changedAt = same && !isRepair ? same.changedAt : now;
    this.#applied.set(id, { digest, sent, version, generation, time, changedAt });
    return isRepair;
  }

  /** Runs an apply. What a watch shows meanwhile is mostly its outcome; only the answer tells whether it is another change. */
  async whileApplied<T>(object: Named, apply: () => Promise<T>): Promise<T> {
    const id = getId(object);
    this.#applying.set(id, false);
    try {
      return await apply();
    } finally {
      const seen = this.#applying.get(id);
      this.#applying.delete(id);
      const known = this.#objects.get(id);
      if (seen && known && known.resourceVersion !== this.#applied.get(id)?.version) this.#onChange(known.instance, id);
    }
  }

  /** Forgets what was applied for an instance, so that each of its objects is applied again. */
  forgetApplies(instance: string): void {
    for (const { kind, ...metadata } of this.of(instance)) this.#applied.delete(getId({ kind, metadata }));
  }

  #remove(id: string): OwnedObject | undefined {
    const object = this.#objects.get(id);
    if (!object) return undefined;
    this.#objects.delete(id);
    const siblings = this.#byInstance.get(object.instance);
    siblings?.delete(object);
    if (siblings?.size === 0) this.#byInstance.delete(object.instance);
    return object;
  }
}

export function getId({ kind, metadata }: Named): string {
  return [kind, metadata.namespace, metadata.name].join('/');
}

/** @returns undefined for what is of no instance */
export function parseOwned(object: KubernetesObject): OwnedObject | undefined {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '', uid = '', annotations = {}, labels = {} } = metadata;
  const owner = metadata.ownerReferences?.find((reference) => reference.kind === KIND && reference.controller);
  const labelled = labels['app.kubernetes.io/managed-by'] === MANAGED_BY;
  const named = labels[INSTANCE_LABEL] ?? labels['app.kubernetes.io/instance'];
  const instance = owner?.name ?? (labelled ? named : undefined);
  if (instance === undefined) return undefined;
  // One literal for all kinds: objects of one shape take a third of the memory.
  return {
    apiVersion,
    kind,
    namespace,
    name,
    uid,
    instance: `${namespace}/${instance}`,
    ownerUid: owner?.uid,
    marked: annotations[ANNOTATION.applied] !== undefined,
    deleting: metadata.deletionTimestamp !== undefined,
    resourceVersion: metadata.resourceVersion ?? '',
    rollout: kind === 'Deployment' ? parseRollout(object) : undefined,
    resources: kind === 'Deployment' ? docbuilderResources(object) : undefined,
    edge: parseEdgeObject(object),
  };
}

function docbuilderResources(object: KubernetesObject): PodResources | undefined {
  const { spec } = object as KubernetesObject & Pick<V1Deployment, 'spec'>;
  const { resources } = spec?.template?.spec?.containers?.find(({ name }) => name === 'docbuilder') ?? {};
  if (!resources) return undefined;
  const { requests, limits } = resources;
  return { ...(requests && { requests }), ...(limits && { limits }) };
}
