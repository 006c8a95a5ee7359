import type {
  V1Container,
  V1Deployment,
  V1DeploymentStrategy,
  V1PodDisruptionBudget,
  V1Probe,
  V1Service,
  V1ServiceAccount,
  V1ServicePort,
  V1ServiceSpec,
} from '@kubernetes/client-node';
import { RESOURCES } from '../k8s/api.ts';
import { type Manifest, manifest, selectorLabels } from './labels.ts';
import { type PodParts, podTemplate } from './pod.ts';
import { bucketRole } from './storage.ts';
import type { ComponentName, Situation } from './types.ts';

/** Old ReplicaSets that stay, for `kubectl rollout undo` to look at. */
const REVISIONS = 2;
/** Seconds for a new pod to become ready, image and volume included, before the rollout counts as stuck. */
const PROGRESS_SECONDS = 600;

interface Workload {
  replicas: number;
  strategy: V1DeploymentStrategy;
}

/** For a component that owns a volume: the old pod is gone before the new one starts. */
export const ONE_AT_A_TIME: Workload = { replicas: 1, strategy: { type: 'Recreate' } };

/** For a component whose pods are all alike: a new one is ready before an old one goes. */
export function rolling(replicas: number): Workload {
  return { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
}

/** The Deployment of a component. */
export function deployment(
  situation: Situation,
  component: ComponentName,
  { replicas, strategy }: Workload,
  pod: PodParts,
): Manifest<V1Deployment> {
  const spec = {
    replicas,
    revisionHistoryLimit: REVISIONS,
    // While the old pod drains there is no progress to be seen.
    progressDeadlineSeconds: PROGRESS_SECONDS + pod.terminationGracePeriodSeconds,
    strategy,
    selector: { matchLabels: selectorLabels(situation.instance, component) },
    template: podTemplate(situation, component, pod),
  };
  return manifest(situation, RESOURCES.deployment, { component }, { spec });
}

/** The identity of a component, which may do nothing in the cluster at all. */
export function serviceAccount(situation: Situation, component: ComponentName): Manifest<V1ServiceAccount> {
  const annotations = bucketRole(situation.instance.spec, component);
  const own = { automountServiceAccountToken: false };
  return manifest(situation, RESOURCES.serviceAccount, { component, annotations }, own);
}

interface ServiceParts {
  ports: readonly (Pick<V1ServicePort, 'name' | 'port' | 'targetPort' | 'nodePort'> & { name: string })[];
  /** The component's, where none is given. */
  name?: string;
  /** No address of its own: its name stands for the addresses of the pods. */
  headless?: boolean;
  type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
  annotations?: Record<string, string>;
  /** Further members of the Service's spec. */
  spec?: V1ServiceSpec;
}

/** A Service of a component's pods. */
export function service(
  situation: Situation,
  component: ComponentName,
  { ports, headless, type = 'ClusterIP', spec: more, ...identity }: ServiceParts,
): Manifest<V1Service> {
  const spec = {
    type,
    ...(headless && { clusterIP: 'None' }),
    ...more,
    selector: selectorLabels(situation.instance, component),
    ports: ports.map((port) => ({ protocol: 'TCP', ...port })),
  };
  return manifest(situation, RESOURCES.service, { component, ...identity }, { spec });
}

/**
 * Returns the number of pods of a component that a drain may take at once. With a single pod that must be one, or no
 * node could ever be drained; a pod that is not ready anyway holds nobody up.
 */
export function disruptionBudget(situation: Situation, component: ComponentName): Manifest<V1PodDisruptionBudget> {
  const selector = { matchLabels: selectorLabels(situation.instance, component) };
  const spec = { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector };
  return manifest(situation, RESOURCES.podDisruptionBudget, { component }, { spec });
}

/**
 * Seconds for the rest of the cluster to hear that a pod is going, before it listens no more. The front keeps names for 5 s,
 * and asks again after 5 s where the name server that it asked is leaving with the same node.
 */
export const LEAVE_SECONDS = 20;
/** For a pod in whose place others are asked meanwhile. */
export const LEAVING: Pick<V1Container, 'lifecycle'> = {
  lifecycle: { preStop: { sleep: { seconds: LEAVE_SECONDS } } },
};

/** Seconds in which a container has to answer after its start, where nothing keeps it waiting. */
export const START_SECONDS = 120;

const START_PERIOD = 2;
const READY_PERIOD = 5;
const LIVE_PERIOD = 10;

/**
 * All three probes of a container that answers GET with 200 to 399. Traffic goes away from it after two failures unless
 * told; only one that has been silent for long is started again, since that costs what is open in it.
 * @param port the name of a container's port
 * @param times seconds from the start until it must answer, and without an answer until it is started again, or traffic goes
 * away from it
 */
export function httpProbes(
  path: string,
  port: string,
  {
    start = START_SECONDS,
    dead = 60,
    unready = 2 * READY_PERIOD,
  }: { start?: number; dead?: number; unready?: number } = {},
): Pick<V1Container, 'startupProbe' | 'livenessProbe' | 'readinessProbe'> {
  const probe = (periodSeconds: number, seconds: number): V1Probe => ({
    httpGet: { path, port, scheme: 'HTTP' },
    periodSeconds,
    timeoutSeconds: 5,
    failureThreshold: Math.ceil(seconds / periodSeconds),
  });
  return {
    startupProbe: probe(START_PERIOD, start),
    livenessProbe: probe(LIVE_PERIOD, dead),
    readinessProbe: probe(READY_PERIOD, unready),
  };
}
