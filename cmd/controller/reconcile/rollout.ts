import type { V1Deployment } from '@kubernetes/client-node';
import type { KubernetesObject } from '../k8s/api.ts';

/** The progress of a Deployment. */
export interface Rollout {
  desired: number;
  ready: number;
  /** Enough pods answer: at least one, and its own condition `Available`, which one of 0 pods has as well. */
  available: boolean;
  /** Its newest version runs, and all of it. */
  complete: boolean;
  /** The reason why it makes no pods, or that it has been trying for too long. */
  failure?: { reason: string; message: string };
  /** It has made no progress for longer than its deadline. */
  gaveUp?: true;
  /** Its name, where somebody has paused it: no newer version comes, and no deadline either. */
  paused?: string;
}

/** Reads a Deployment the way `kubectl rollout status` does. */
export function parseRollout(object: KubernetesObject): Rollout {
  const { metadata, spec, status = {} } = object as KubernetesObject & Pick<V1Deployment, 'spec' | 'status'>;
  const desired = spec?.replicas ?? 1;
  const { updatedReplicas = 0, availableReplicas = 0, readyReplicas = 0, replicas = 0 } = status;
  const condition = (type: string, value: string) =>
    status.conditions?.find((candidate) => candidate.type === type && candidate.status === value);
  const stuck = condition('Progressing', 'False');
  const failed = condition('ReplicaFailure', 'True') ?? stuck;
  return {
    desired,
    ready: readyReplicas,
    available: availableReplicas > 0 && condition('Available', 'True') !== undefined,
    complete:
      (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
      updatedReplicas >= desired &&
      replicas <= updatedReplicas &&
      availableReplicas >= updatedReplicas,
    ...(failed && { failure: { reason: failed.reason ?? 'Failed', message: failed.message ?? '' } }),
    ...(stuck?.reason === 'ProgressDeadlineExceeded' && { gaveUp: true }),
    ...(spec?.paused && { paused: metadata.name }),
  };
}
