import { microTime } from './micro-time.ts';
import { RESOURCES } from './resources.ts';
import type { KubernetesObject } from './types.ts';

/** coordination.k8s.io/v1 `Lease`, as far as an election needs it. */
export interface Lease extends KubernetesObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    /** MicroTime. */
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** A Lease that nobody has held yet. */
export function newLease(namespace: string, name: string): Lease {
  const { apiVersion, kind } = RESOURCES.lease;
  return { apiVersion, kind, metadata: { namespace, name } };
}

/** The lease as its holder writes it. A change of the holder counts as a transition, except the first. */
export function heldBy(lease: Lease, identity: string, durationMs: number, time: number): Lease {
  const { spec = {} } = lease;
  const same = spec.holderIdentity === identity;
  return {
    ...lease,
    spec: {
      ...spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: (same && spec.acquireTime) || microTime(time),
      renewTime: microTime(time),
      leaseTransitions: (spec.leaseTransitions ?? 0) + (same || lease.spec === undefined ? 0 : 1),
    },
  };
}

/** The lease as its holder gives it back: nobody's, and of a duration that keeps nobody waiting. */
export function released(lease: Lease, time: number): Lease {
  const at = microTime(time);
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: at, renewTime: at },
  };
}
