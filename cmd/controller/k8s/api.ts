import type { V1ManagedFieldsEntry, V1OwnerReference } from '@kubernetes/client-node';
import { iso } from '../../../src/common/clock.ts';

/** apimachinery's `ObjectMeta` as JSON, so without dates. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: V1OwnerReference[];
  managedFields?: V1ManagedFieldsEntry[];
}

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface Resource {
  /** `v1`, or group and version: `apps/v1`. */
  apiVersion: string;
  kind: string;
  /** As in paths: `deployments`. */
  plural: string;
  namespaced: boolean;
}

function namespaced(apiVersion: string, kind: string, plural: string): Resource {
  return { apiVersion, kind, plural, namespaced: true };
}

/** Every kind that the controller writes or watches, as in the chart's role. */
export const RESOURCES = {
  svcInstance: namespaced('svc.internal/v1', 'SvcInstance', 'svcinstances'),
  deployment: namespaced('apps/v1', 'Deployment', 'deployments'),
  service: namespaced('v1', 'Service', 'services'),
  serviceAccount: namespaced('v1', 'ServiceAccount', 'serviceaccounts'),
  configMap: namespaced('v1', 'ConfigMap', 'configmaps'),
  secret: namespaced('v1', 'Secret', 'secrets'),
  persistentVolumeClaim: namespaced('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
  podDisruptionBudget: namespaced('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  horizontalPodAutoscaler: namespaced('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
  networkPolicy: namespaced('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  ingress: namespaced('networking.k8s.io/v1', 'Ingress', 'ingresses'),
  httpRoute: namespaced('gateway.networking.k8s.io/v1', 'HTTPRoute', 'httproutes'),
  lease: namespaced('coordination.k8s.io/v1', 'Lease', 'leases'),
  event: namespaced('events.k8s.io/v1', 'Event', 'events'),
} as const satisfies Record<string, Resource>;

/** @throws {TypeError} for a kind that the controller does not touch */
export function findResource({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>): Resource {
  const resource = Object.values(RESOURCES).find((one) => one.kind === kind && one.apiVersion === apiVersion);
  if (!resource) throw new TypeError(`no resource ${apiVersion} ${kind}`);
  return resource;
}

/** Path of all objects of a kind, in one namespace or in all. */
export function collectionPath({ apiVersion, plural, namespaced }: Resource, namespace?: string): string {
  if (isDots(namespace)) throw new TypeError(`no namespace ${namespace}`);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const where = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${where}/${plural}`;
}

/**
 * Path of one object.
 * @throws {TypeError} without name or needed namespace, which would mean all objects, and for `.` and `..`
 */
export function objectPath(
  resource: Resource,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  if (name === '' || isDots(name) || (resource.namespaced && !namespace))
    throw new TypeError(`no ${resource.kind} '${namespace ?? ''}/${name}'`);
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** URLs resolve these even when they are escaped. */
function isDots(segment: string | undefined): boolean {
  return segment === '.' || segment === '..';
}

/** Returns `namespace/name`. */
export function getKey({ metadata: { namespace = '', name } }: Pick<KubernetesObject, 'metadata'>): string {
  // Unlike a template, a joined string does not keep its parts in memory.
  return [namespace, name].join('/');
}

/** Splits a key of `getKey`. */
export function splitKey(key: string): [namespace: string, name: string] {
  const [namespace = '', name = ''] = key.split('/');
  return [namespace, name];
}

/** Epoch milliseconds as RFC 3339 with the six decimals that apimachinery's `MicroTime` insists on. */
export function microTime(time: number): string {
  return iso(time).replace('Z', '000Z');
}
