import { MANAGED_BY } from '../desired/labels.ts';
import { KIND } from '../desired/names.ts';
import type { KubernetesObject } from '../k8s/types.ts';
import { type EdgeObject, edgeObjectOf } from './edge-object.ts';
import { APPLIED_HASH, contentHash } from './hash.ts';
import { type MadePod, madePodOf } from './made-pod.ts';
import { type Rollout, rolloutOf } from './rollout.ts';

/** Gone objects that are remembered: more than are written at a time. */
const ENDED = 512;

/** That nothing is to be done about an object as long as it is, and is wanted, as it was then. */
interface Agreement {
  desired: string;
  content: string;
  /** Paths where the API server's object differs from what was written: reported, and not fought. */
  differing?: readonly string[];
}

/** What is remembered of an object that the controller made: far less than the object. */
export interface Owned {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  /** Key of the instance that it belongs to, by its owner or its labels. */
  instance: string;
  /** Of the SvcInstance that owns it. Undefined: somebody took the reference away. */
  ownerUid: string | undefined;
  /** Whether it was ever applied; others may use our labels. */
  applied: boolean;
  deleting: boolean;
  /** resourceVersion as last seen, 0 for none: they grow with every change (Kubernetes API concepts). */
  version: number;
  /** `contentHash` as last seen. */
  content: string;
  /** What was wanted and what was there when the two were last found to agree. */
  agreed: Agreement | undefined;
  /** resourceVersion of when they were, until a watch has caught up with that. */
  awaited: number | undefined;
  /** Of a Deployment. */
  rollout: Rollout | undefined;
  /** Of DocBuilder's Deployment. */
  made: MadePod | undefined;
  /** Of a PersistentVolumeClaim: `Pending`, `Bound`, `Lost`. */
  phase: string | undefined;
  /** An Ingress or HTTPRoute has it. */
  edge: EdgeObject | undefined;
}

/** What there is of the controller's objects, by instance. Keys of instances are `namespace/name`. */
export interface OwnedCache {
  /**
   * @returns the instances to look after, if the object is not as it was when that was last done: the one it belongs to,
   * and the one it did before somebody changed its owner or labels
   */
  seen(object: KubernetesObject): string[];
  /** @returns the instance that has lost it */
  gone(object: KubernetesObject): string[];
  /**
   * Says that an object is about to be read and written. Until the end of that, what is seen of it is no news: mostly it
   * is that very write.
   * @returns to be called at the end: whether it is not as it was agreed to, after all
   */
  hold(object: Pick<KubernetesObject, 'kind' | 'metadata'>): () => boolean;
  /** Remembers that `object`, just read or written, agrees with what is wanted, or differs and is left so. */
  agree(object: KubernetesObject, desired: string, differing?: readonly string[]): void;
  /** Remembers that an object, as it was last seen, agrees with what is wanted. */
  agreeAsSeen(object: Pick<KubernetesObject, 'kind' | 'metadata'>, desired: string): void;
  /** Forgets all of an instance's agreements, so that each of its objects is read again. */
  doubt(instance: string): void;
  find(object: Pick<KubernetesObject, 'kind' | 'metadata'>): Owned | undefined;
  of(instance: string): Owned[];
  size(): number;
}

/** Knows what it is told by `seen` and `agree`. */
export function createOwnedCache(): OwnedCache {
  const objects = new Map<string, Owned>();
  const byInstance = new Map<string, Set<Owned>>();
  /** By their ids: whose they are, and whether anything was seen of them since. */
  const held = new Map<string, { instance: string | undefined; seen: boolean }>();
  /** uids of objects that have gone, the newest: the answer to our own write may come after the news of the end. */
  const ended = new Set<string>();

  function put(id: string, owned: Owned): void {
    drop(id);
    const siblings = byInstance.get(owned.instance) ?? new Set();
    const [sibling] = siblings;
    if (sibling) shareStrings(owned, sibling);
    objects.set(id, owned);
    byInstance.set(owned.instance, siblings.add(owned));
  }

  function drop(id: string): void {
    const owned = objects.get(id);
    if (!owned) return;
    objects.delete(id);
    const siblings = byInstance.get(owned.instance);
    siblings?.delete(owned);
    if (siblings?.size === 0) byInstance.delete(owned.instance);
  }

  return {
    seen(object) {
      const id = idOf(object);
      const before = objects.get(id);
      const now = ownedOf(object);
      if (!now) {
        drop(id);
        return before ? [before.instance] : [];
      }
      if (before?.uid === now.uid && before.awaited !== undefined) {
        // On its way since before our own read or write: it would make the newer look as if it were done.
        if (now.version < before.awaited) return [];
      }
      // A uid stands for one life of an object: agreement does not pass on to its successor of the same name.
      if (before?.agreed && before.uid === now.uid) now.agreed = before.agreed;
      if (now.content === now.agreed?.content) now.content = now.agreed.content;
      put(id, now);
      // Out of sight is not always gone: a watch by a label loses what somebody takes the label from.
      ended.delete(now.uid);
      if (before && now.agreed?.content === now.content && sameProgress(before, now)) return [];
      const instances = new Set([now.instance, before?.instance ?? now.instance]);
      const holding = held.get(id);
      if (holding?.instance !== undefined && instances.delete(holding.instance)) holding.seen = true;
      return [...instances];
    },
    gone(object) {
      const id = idOf(object);
      const before = objects.get(id);
      const { uid = '' } = object.metadata;
      ended.add(uid);
      const [oldest] = ended;
      if (ended.size > ENDED && oldest !== undefined) ended.delete(oldest);
      if (before && before.uid !== uid) return [];
      drop(id);
      const instance = before?.instance ?? ownedOf(object)?.instance;
      return instance === undefined ? [] : [instance];
    },
    agree(object, desired, differing = []) {
      const id = idOf(object);
      const before = objects.get(id);
      const now = ownedOf(object);
      if (!now || ended.has(now.uid)) return;
      const agreed = { desired, content: now.content, ...(differing.length > 0 && { differing }) };
      // A watch may have shown something newer already: then that is what there is, and it is still to be looked at.
      const newer = before?.uid === now.uid && before.version > now.version ? before : now;
      put(id, { ...newer, agreed, awaited: newer.version });
    },
    hold(object) {
      const id = idOf(object);
      const holding = { instance: belonging(object)?.instance, seen: false };
      held.set(id, holding);
      return () => {
        held.delete(id);
        const { agreed, content } = objects.get(id) ?? {};
        return holding.seen && agreed !== undefined && agreed.content !== content;
      };
    },
    agreeAsSeen(object, desired) {
      const owned = objects.get(idOf(object));
      if (owned) owned.agreed = { desired, content: owned.content };
    },
    doubt(instance) {
      for (const owned of byInstance.get(instance) ?? []) owned.agreed = undefined;
    },
    find: (object) => objects.get(idOf(object)),
    of: (instance) => [...(byInstance.get(instance) ?? [])],
    size: () => objects.size,
  };
}

function belonging({ metadata }: Pick<KubernetesObject, 'metadata'>): Pick<Owned, 'instance' | 'ownerUid'> | undefined {
  const { namespace = '', labels = {} } = metadata;
  const owner = metadata.ownerReferences?.find((reference) => reference.kind === KIND && reference.controller);
  const labelled = labels['app.kubernetes.io/managed-by'] === MANAGED_BY;
  const name = owner?.name ?? (labelled ? labels['app.kubernetes.io/instance'] : undefined);
  return name === undefined ? undefined : { instance: `${namespace}/${name}`, ownerUid: owner?.uid };
}

function ownedOf(object: KubernetesObject): Owned | undefined {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '', uid = '', annotations = {} } = metadata;
  const belongs = belonging(object);
  if (!belongs) return undefined;
  const { status } = object as KubernetesObject & { status?: { phase?: string } };
  // One literal: all of them have the same shape, which takes a third of the memory of shapes that grew.
  return {
    apiVersion,
    kind,
    namespace,
    name,
    uid,
    instance: belongs.instance,
    ownerUid: belongs.ownerUid,
    applied: annotations[APPLIED_HASH] !== undefined,
    deleting: metadata.deletionTimestamp !== undefined,
    version: Number(metadata.resourceVersion ?? 0),
    content: contentHash(object, { metadataOnly: kind === 'Secret' }),
    agreed: undefined,
    awaited: undefined,
    rollout: kind === 'Deployment' ? rolloutOf(object) : undefined,
    made: kind === 'Deployment' ? madePodOf(object) : undefined,
    phase: kind === 'PersistentVolumeClaim' ? (status?.phase ?? 'Pending') : undefined,
    edge: edgeObjectOf(object),
  };
}

/** What is the same for all objects of an instance is kept once. */
function shareStrings(owned: Owned, sibling: Owned): void {
  owned.instance = sibling.instance;
  owned.namespace = sibling.namespace;
  if (owned.ownerUid === sibling.ownerUid) owned.ownerUid = sibling.ownerUid;
}

function sameProgress(before: Owned, now: Owned): boolean {
  return (
    before.deleting === now.deleting &&
    before.phase === now.phase &&
    JSON.stringify([before.rollout, before.edge]) === JSON.stringify([now.rollout, now.edge])
  );
}

function idOf({ kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>): string {
  // One string, as in `keyOf`.
  return [kind, metadata.namespace, metadata.name].join('/');
}
