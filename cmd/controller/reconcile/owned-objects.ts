import type { V1Deployment } from '@kubernetes/client-node';
import { ANNOTATION, MANAGED_BY } from '../desired/labels.ts';
import { KIND } from '../desired/names.ts';
import type { PodResources } from '../desired/types.ts';
import type { KubernetesObject } from '../k8s/api.ts';
import { type EdgeObject, parseEdgeObject } from './edge-object.ts';
import { parseRollout, type Rollout } from './rollout.ts';

/** Deleted objects that are remembered: more than are written at a time. */
const MAX_DELETED = 512;

/** The controller's memory of an object that it made: far less than the object. */
export interface OwnedObject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /** Key of the instance that it belongs to, by its owner or its labels. */
  instance: string;
  /** uid of the SvcInstance that owns it. Undefined: somebody took the reference away. */
  ownerUid: string | undefined;
  /** The controller has applied it; others may use its labels. */
  marked: boolean;
  deleting: boolean;
  /** resourceVersion as last seen or written, 0 for none: they grow with every change (Kubernetes API concepts). */
  version: number;
  /** The last apply by this process: a digest of what was sent, and the resourceVersion of the answer. */
  applied: { digest: string; version: number } | undefined;
  /** resourceVersion of that answer, until a watch has caught up with it. */
  awaited: number | undefined;
  /** State of a Deployment. */
  rollout: Rollout | undefined;
  /** Resources in the template of DocBuilder's Deployment. */
  resources: PodResources | undefined;
  /** State of an Ingress or HTTPRoute. */
  edge: EdgeObject | undefined;
}

type Named = Pick<KubernetesObject, 'kind' | 'metadata'>;

/** The controller's objects as the watches show them, by instance. Keys of instances are `namespace/name`. */
export class OwnedObjects {
  readonly #objects = new Map<string, OwnedObject>();
  readonly #byInstance = new Map<string, Set<OwnedObject>>();
  /** Ids of objects that were seen while their instance was held, by instance. */
  readonly #held = new Map<string, Set<string>>();
  /** uids of objects that were deleted, the newest: the answer to our own apply may come after that event. */
  readonly #deleted = new Set<string>();

  get size(): number {
    return this.#objects.size;
  }

  find(object: Named): OwnedObject | undefined {
    return this.#objects.get(getId(object));
  }

  of(instance: string): OwnedObject[] {
    return [...(this.#byInstance.get(instance) ?? [])];
  }

  /**
   * Takes in an object that a watch shows.
   * @returns the instances to reconcile: the one it belongs to, and the one it did before somebody changed its owner or labels
   */
  observe(object: KubernetesObject): string[] {
    const id = getId(object);
    const before = this.#objects.get(id);
    const now = parseOwned(object);
    if (!now) {
      this.#remove(id);
      return before ? [before.instance] : [];
    }
    const same = before?.uid === now.uid;
    // On its way since before our own apply: it would make the new pods look as if they ran already.
    if (same && now.version < (before.awaited ?? 0)) return [];
    if (same) now.applied = before.applied;
    this.#put(id, now);
    // Out of sight is not always gone: a watch by a label loses what somebody takes the label from.
    this.#deleted.delete(now.uid);
    if (now.applied?.version === now.version) return [];
    const instances = new Set([now.instance, before?.instance ?? now.instance]);
    const held = this.#held.get(now.instance);
    if (held?.add(id)) instances.delete(now.instance);
    return [...instances];
  }

  /** Takes out an object that a watch says is gone. @returns the instance that has lost it */
  remove(object: KubernetesObject): string[] {
    const id = getId(object);
    const before = this.#objects.get(id);
    const { uid = '' } = object.metadata;
    this.#deleted.add(uid);
    const [oldest] = this.#deleted;
    if (this.#deleted.size > MAX_DELETED && oldest !== undefined) this.#deleted.delete(oldest);
    if (before && before.uid !== uid) return [];
    this.#remove(id);
    const instance = before?.instance ?? parseOwned(object)?.instance;
    return instance === undefined ? [] : [instance];
  }

  /** Keeps events of an instance's objects back while it is reconciled: mostly they tell of that very reconcile. */
  hold(instance: string): void {
    this.#held.set(instance, new Set());
  }

  isHeld(instance: string): boolean {
    return this.#held.has(instance);
  }

  /** Ends `hold`. @returns whether an object was seen meanwhile that is not as it was applied */
  release(instance: string): boolean {
    const seen = this.#held.get(instance) ?? new Set();
    this.#held.delete(instance);
    return [...seen].some((id) => {
      const object = this.#objects.get(id);
      return object !== undefined && object.version !== object.applied?.version;
    });
  }

  /** Returns whether this process has applied the same before, and nobody has changed the object since. */
  isApplied(object: Named, digest: string): boolean {
    const { applied, version, deleting = true } = this.find(object) ?? {};
    return !deleting && applied?.digest === digest && applied.version === version;
  }

  /** Takes in the answer to an apply. */
  recordApply(answer: KubernetesObject, digest: string): void {
    const id = getId(answer);
    const before = this.#objects.get(id);
    const now = parseOwned(answer);
    if (!now || this.#deleted.has(now.uid)) return;
    // A watch may have shown something newer already: then that is still to be looked at.
    const newest = before?.uid === now.uid && before.version > now.version ? before : now;
    const awaited = newest === now ? now.version : undefined;
    this.#put(id, { ...newest, applied: { digest, version: now.version }, awaited });
  }

  /** Forgets what was applied for an instance, so that each of its objects is applied again. */
  forgetApplies(instance: string): void {
    for (const object of this.#byInstance.get(instance) ?? []) object.applied = undefined;
  }

  #put(id: string, object: OwnedObject): void {
    this.#remove(id);
    const siblings = this.#byInstance.get(object.instance) ?? new Set();
    const [sibling] = siblings;
    if (sibling) shareStrings(object, sibling);
    this.#objects.set(id, object);
    this.#byInstance.set(object.instance, siblings.add(object));
  }

  #remove(id: string): void {
    const object = this.#objects.get(id);
    if (!object) return;
    this.#objects.delete(id);
    const siblings = this.#byInstance.get(object.instance);
    siblings?.delete(object);
    if (siblings?.size === 0) this.#byInstance.delete(object.instance);
  }
}

/** Names an object among all of the controller's. */
export function getId({ kind, metadata }: Named): string {
  // One string, as in `keyOf`.
  return [kind, metadata.namespace, metadata.name].join('/');
}

function parseOwned(object: KubernetesObject): OwnedObject | undefined {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '', uid = '', annotations = {}, labels = {} } = metadata;
  const owner = metadata.ownerReferences?.find((reference) => reference.kind === KIND && reference.controller);
  const labelled = labels['app.kubernetes.io/managed-by'] === MANAGED_BY;
  const instance = owner?.name ?? (labelled ? labels['app.kubernetes.io/instance'] : undefined);
  if (instance === undefined) return undefined;
  // One literal: all of them have the same shape, which takes a third of the memory of shapes that grew.
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
    version: Number(metadata.resourceVersion ?? 0),
    applied: undefined,
    awaited: undefined,
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

/** Keeps once what is the same for all objects of an instance. */
function shareStrings(object: OwnedObject, sibling: OwnedObject): void {
  object.instance = sibling.instance;
  object.namespace = sibling.namespace;
  if (object.ownerUid === sibling.ownerUid) object.ownerUid = sibling.ownerUid;
}
