import type { V1OwnerReference } from '@kubernetes/client-node';
import type { KubernetesObject, Resource } from '../k8s/api.ts';
import { API_VERSION, KIND, objectNames } from './names.ts';
import type { ComponentName, Instance, Situation } from './types.ts';

export const MANAGED_BY = 'svc-controller';
/** Selects everything that the controller has made, in all instances. */
export const OWNED_SELECTOR = `app.kubernetes.io/managed-by=${MANAGED_BY}`;

/** Annotations of ours. The first two are for people to set on an SvcInstance, the third on a claim that is restored. */
export const ANNOTATION = {
  paused: 'svc.internal/paused',
  reconcileAt: 'svc.internal/reconcile-at',
  /** On each object that the controller has applied. */
  applied: 'svc.internal/applied',
  /** On a pod template: digest of what is read at the start and never again. */
  configHash: 'svc.internal/config-hash',
} as const;

export type Labels = Record<string, string>;

const OURS: Labels = { 'app.kubernetes.io/part-of': 'svc', 'app.kubernetes.io/managed-by': MANAGED_BY };

/** Metadata that every object is created with: nothing in it comes from the API server. */
export interface Metadata {
  name: string;
  namespace: string;
  labels: Labels;
  annotations?: Record<string, string>;
  ownerReferences: V1OwnerReference[];
}

/** An object of a built-in type as the controller applies it: nothing of the API server's own is in it. */
export type Manifest<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
};

/** Returns the labels that all pods of an instance have, and no others. */
export function instanceLabels({ metadata }: Instance): Labels {
  return { 'app.kubernetes.io/name': 'svc', 'app.kubernetes.io/instance': metadata.name };
}

/** Names the component that an object belongs to. */
export const COMPONENT_LABEL = 'app.kubernetes.io/component';

/** Returns the labels that are the same in every version of a component's pods; a Deployment's selector can never change. */
export function selectorLabels(instance: Instance, component: ComponentName): Labels {
  return { ...instanceLabels(instance), [COMPONENT_LABEL]: component };
}

/** As in a query: `a=1,b=2`. */
export function selectorText(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/**
 * The labels of a component's pods. The version is not among them: a new controller would restart pods of which nothing
 * else has changed, the editor's with everybody in it.
 */
export function podLabels(instance: Instance, component: ComponentName): Labels {
  return { ...selectorLabels(instance, component), ...OURS };
}

interface Identity {
  /** Absent: the object is of no single one. */
  component?: ComponentName;
  /** The component's, where none is given. */
  name?: string;
  annotations?: Record<string, string>;
}

/**
 * `metadata` of an object, with the common labels and the instance as its owner: what is owned goes with its owner,
 * without a finalizer that could get stuck.
 */
export function metadata(
  { instance, settings }: Pick<Situation, 'instance' | 'settings'>,
  { component, name, annotations = {} }: Identity,
): Metadata {
  const owner = { apiVersion: API_VERSION, kind: KIND, name: instance.metadata.name, uid: instance.metadata.uid };
  return {
    name: name ?? (component ? objectNames(instance.metadata.name).component[component] : instance.metadata.name),
    namespace: instance.metadata.namespace,
    labels: {
      ...(component ? selectorLabels(instance, component) : instanceLabels(instance)),
      ...OURS,
      // A version with build metadata has a `+`, which no label may have.
      'app.kubernetes.io/version': settings.version.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 63),
    },
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: false }],
  };
}

/** An object of an instance: its kind, the common metadata, and what is its own. */
export function manifest<T extends KubernetesObject>(
  situation: Pick<Situation, 'instance' | 'settings'>,
  { apiVersion, kind }: Resource,
  identity: Identity,
  own: Omit<T, 'apiVersion' | 'kind' | 'metadata'>,
): T & { metadata: Metadata } {
  return { apiVersion, kind, metadata: metadata(situation, identity), ...own } as T & { metadata: Metadata };
}
