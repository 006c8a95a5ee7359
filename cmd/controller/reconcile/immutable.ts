import { isDeepStrictEqual } from 'node:util';
import type { V1Deployment, V1Ingress, V1PersistentVolumeClaim, V1Service } from '@kubernetes/client-node';
import type { KubernetesObject } from '../k8s/api.ts';
import { appliedFields } from './managed-fields.ts';
import { quantityValue } from './quantity.ts';

/** The desired object, as far as a live one can become it. */
export interface Attainable {
  object: KubernetesObject;
  /** For the user: why something of the spec cannot be had. */
  notes: string[];
}

/**
 * Takes out of `desired` what the API server would not change in `live`: of a claim everything but its size, and that
 * only grows, once there is a volume. The documents in it are worth more than the spec.
 */
export function toAttainable(desired: KubernetesObject, live: KubernetesObject): Attainable {
  if (desired.kind !== 'PersistentVolumeClaim') return { object: desired, notes: [] };
  const wanted = desired as KubernetesObject & { spec: V1PersistentVolumeClaim['spec'] };
  const { spec, status } = live as KubernetesObject & Pick<V1PersistentVolumeClaim, 'spec' | 'status'>;
  const [size, has] = [wanted, { spec }].map((claim) => claim.spec?.resources?.requests?.['storage']);
  const notes: string[] = [];
  const growth = (quantityValue(size) ?? 0) - (quantityValue(has) ?? 0);
  if (growth < 0) notes.push(`Claim ${desired.metadata.name} stays at ${has}: a volume cannot shrink to ${size}.`);
  // The API server lets no other grow.
  const waits = growth > 0 && status?.phase === 'Pending';
  if (waits)
    notes.push(`Claim ${desired.metadata.name} has no volume yet: it grows from ${has} to ${size} once it has one.`);
  const className = wanted.spec?.storageClassName;
  if (className !== undefined && className !== spec?.storageClassName) {
    notes.push(
      `Claim ${desired.metadata.name} keeps its class ${spec?.storageClassName}: it cannot become ${className}.`,
    );
  }
  const keep = {
    accessModes: spec?.accessModes,
    ...(spec?.storageClassName !== undefined && { storageClassName: spec.storageClassName }),
    resources: { requests: { storage: growth < 0 || waits ? has : size } },
  };
  return { object: { ...wanted, spec: keep } as KubernetesObject, notes };
}

/**
 * Returns whether only another object of the same name can be what is wanted: a Deployment's selector and whether a Service has
 * an address are settled for life, and the cluster's default class is given to an Ingress at its birth only: without the
 * one that we have named it would have none, and no edge. None of these holds data.
 */
export function mustBeReplaced(desired: KubernetesObject, live: KubernetesObject): boolean {
  if (desired.kind === 'Deployment') {
    const [wanted, has] = [desired, live].map((object) => (object as { spec?: V1Deployment['spec'] }).spec?.selector);
    return !isDeepStrictEqual(wanted, has);
  }
  if (desired.kind === 'Service') {
    const [wanted, has] = [desired, live].map((object) => (object as { spec?: V1Service['spec'] }).spec?.clusterIP);
    return (wanted === 'None') !== (has === 'None');
  }
  if (desired.kind === 'Ingress') {
    const { spec } = desired as { spec?: V1Ingress['spec'] };
    return (
      spec?.ingressClassName === undefined && appliedFields(live)?.['f:spec']?.['f:ingressClassName'] !== undefined
    );
  }
  return false;
}
