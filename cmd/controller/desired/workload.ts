import type { V1Deployment, V1DeploymentStrategy, V1ServiceAccount } from '@kubernetes/client-node';
import { type Manifest, metadata, selectorLabels } from './labels.ts';
import { objectNames } from './names.ts';
import { type PodParts, podTemplate } from './pod.ts';
import { LEAVE_SECONDS, LEAVING } from './probes.ts';
import { bucketRole, isShared } from './shared-store.ts';
import type { ComponentName, Situation } from './types.ts';

/** Old ReplicaSets that stay, for `kubectl rollout undo` to look at. */
const REVISIONS = 2;
/** Seconds for a new pod to become ready, image and volume included, before the rollout counts as stuck. */
const PROGRESS_SECONDS = 600;

/** For a component that owns a volume: the old pod is gone before the new one starts. */
export const ONE_AT_A_TIME: Workload = { replicas: 1, strategy: { type: 'Recreate' } };

/** For a component whose pods are all alike: a new one is ready before an old one goes. */
export function rolling(replicas: number): Workload {
  return { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
}

export interface Workload {
  replicas: number;
  strategy: V1DeploymentStrategy;
}

/** The Deployment of a component. */
export function deployment(
  situation: Situation,
  component: ComponentName,
  { replicas, strategy }: Workload,
  pod: PodParts,
): Manifest<V1Deployment> {
  const { instance } = situation;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(situation, objectNames(instance.metadata.name).component[component], component),
    spec: {
      replicas,
      revisionHistoryLimit: REVISIONS,
      // While the old pod drains there is no progress to be seen.
      progressDeadlineSeconds: PROGRESS_SECONDS + pod.terminationGracePeriodSeconds,
      strategy,
      selector: { matchLabels: selectorLabels(instance, component) },
      template: podTemplate(situation, component, pod),
    },
  };
}

/**
 * The Deployment of gate or DocBuilder: with a volume one pod, otherwise as many as wanted, each of which leaves slowly enough
 * for the front to ask the others.
 */
export function dataDeployment(
  situation: Situation,
  component: 'gate' | 'docbuilder',
  replicas: number,
  pod: PodParts,
): Manifest<V1Deployment> {
  if (!isShared(situation.instance.spec)) return deployment(situation, component, ONE_AT_A_TIME, pod);
  return deployment(situation, component, rolling(replicas), {
    ...pod,
    // A service that its store keeps from starting says why in its last line; the status repeats it.
    container: { ...pod.container, ...LEAVING, terminationMessagePolicy: 'FallbackToLogsOnError' },
    terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds + LEAVE_SECONDS,
    spread: true,
    movable: true,
  });
}

/** The identity of a component, which may do nothing in the cluster at all. */
export function serviceAccount(situation: Situation, component: ComponentName): Manifest<V1ServiceAccount> {
  const name = objectNames(situation.instance.metadata.name).component[component];
  const annotations = bucketRole(situation.instance.spec, component);
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata(situation, name, component, annotations),
    automountServiceAccountToken: false,
  };
}
