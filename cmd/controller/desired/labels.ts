import type { V1OwnerReference } from '@kubernetes/client-node';
import { API_VERSION, KIND } from './names.ts';
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

/**
 * `metadata` of an object, with the common labels and the instance as its owner: what is owned goes with its owner,
 * without a finalizer that could get stuck.
 * @param component absent: the object is of no single one
 */
export function metadata(
  { instance, settings }: Pick<Situation, 'instance' | 'settings'>,
  name: string,
  component?: ComponentName,
  annotations?: Record<string, string>,
): Metadata {
  return {
    name,
    namespace: instance.metadata.namespace,
    labels: {
      ...(component ? selectorLabels(instance, component) : instanceLabels(instance)),
      ...OURS,
      'app.kubernetes.io/version': labelValue(settings.version),
    },
    ...(annotations && Object.keys(annotations).length > 0 && { annotations }),
    ownerReferences: [
      {
        apiVersion: API_VERSION,
        kind: KIND,
        name: instance.metadata.name,
        uid: instance.metadata.uid,
        controller: true,
        blockOwnerDeletion: false,
      },
    ],
  };
}

/** A version with build metadata has a `+`, which no label may have. */
function labelValue(version: string): string {
  return version.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 63);
}
