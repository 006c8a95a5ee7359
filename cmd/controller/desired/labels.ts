import type { V1OwnerReference } from '@kubernetes/client-node';
import type { KubernetesObject, Resource } from '../k8s/api.ts';
import { API_VERSION, KIND, objectNames } from './names.ts';
import type { ComponentName, Instance, Situation } from './types.ts';

export const MANAGED_BY = 'svc-controller';
/** Selects everything that the controller has made, in all instances. */
export const OWNED_SELECTOR = `app.kubernetes.io/managed-by=${MANAGED_BY}`;

/** The first two are for people to set on an SvcInstance, the third on a claim that is restored. */
export const ANNOTATION = {
  paused: 'svc.internal/paused',
  reconcileAt: 'svc.internal/reconcile-at',
  /** On each object that the controller has applied. */
  applied: 'svc.internal/applied',
  /** On a pod template: digest of what is read at the start only. */
  configHash: 'svc.internal/config-hash',
} as const;

/** On a claim without owner, and on a Secret that people supply: the name of the one instance that may use it. */
export const INSTANCE_LABEL = 'svc.internal/instance';

export type Labels = Record<string, string>;

const OURS: Labels = { 'app.kubernetes.io/part-of': 'svc', 'app.kubernetes.io/managed-by': MANAGED_BY };

/** Metadata as the controller applies it. */
export interface Metadata {
  name: string;
  namespace: string;
  labels: Labels;
  annotations?: Record<string, string>;
  ownerReferences: V1OwnerReference[];
}

/** An object of a built-in type as the controller applies it. */
export type Manifest<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
};

/** Labels that all pods of an instance have, and no others. */
export function instanceLabels({ metadata }: Instance): Labels {
  return { 'app.kubernetes.io/name': 'svc', 'app.kubernetes.io/instance': metadata.name };
}

export const COMPONENT_LABEL = 'app.kubernetes.io/component';

/** Labels of a component's pods in every version; a Deployment's selector can never change. */
export function selectorLabels(instance: Instance, component: ComponentName): Labels {
  return { ...instanceLabels(instance), [COMPONENT_LABEL]: component };
}

/** Returns `a=1,b=2`. */
export function selectorText(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Labels of a component's pods. They have no version, which would restart pods with each new controller. */
export function podLabels(instance: Instance, component: ComponentName): Labels {
  return { ...selectorLabels(instance, component), ...OURS };
}

interface Identity {
  component?: ComponentName;
  /** The component's, where none is given. */
  name?: string;
  annotations?: Record<string, string>;
}

/** Returns `metadata` with the common labels and the instance as owner, with which the object is deleted. */
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

/** Returns an object of an instance. @param own members beside kind and metadata */
export function manifest<T extends KubernetesObject>(
  situation: Pick<Situation, 'instance' | 'settings'>,
  { apiVersion, kind }: Resource,
  identity: Identity,
  own: Omit<T, 'apiVersion' | 'kind' | 'metadata'>,
): T & { metadata: Metadata } {
  return { apiVersion, kind, metadata: metadata(situation, identity), ...own } as T & { metadata: Metadata };
}
