import type { KubernetesObject, Resource } from './types.ts';

function namespaced(apiVersion: string, kind: string, plural: string): Resource {
  return { apiVersion, kind, plural, namespaced: true };
}

/** Every kind that the controller touches; the chart's role names the same ones. */
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

const byKind = new Map(
  Object.values(RESOURCES).map((resource) => [`${resource.apiVersion} ${resource.kind}`, resource as Resource]),
);

/**
 * Returns the path at which the API has objects of this one's kind.
 * @throws {TypeError} for a kind that the controller does not touch
 */
export function findResource({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>): Resource {
  const resource = byKind.get(`${apiVersion} ${kind}`);
  if (!resource) throw new TypeError(`no resource ${apiVersion} ${kind}`);
  return resource;
}
