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
/** Seconds in which a new pod must become ready. */
const PROGRESS_SECONDS = 600;

interface Workload {
  /** Absent: an autoscaler sets it. */
  replicas?: number | undefined;
  strategy: V1DeploymentStrategy;
}

/** For a component with a volume: the old pod is gone before the new one starts. */
export const ONE_AT_A_TIME: Workload = { replicas: 1, strategy: { type: 'Recreate' } };

/** A new pod is ready before an old one goes. */
export function rolling(replicas: number | undefined): Workload {
  return { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
}

export function deployment(
  situation: Situation,
  component: ComponentName,
  { replicas, strategy }: Workload,
  pod: PodParts,
): Manifest<V1Deployment> {
  const spec = {
    ...(replicas !== undefined && { replicas }),
    revisionHistoryLimit: REVISIONS,
    // While the old pod drains there is no progress to be seen.
    progressDeadlineSeconds: PROGRESS_SECONDS + pod.terminationGracePeriodSeconds,
    strategy,
    selector: { matchLabels: selectorLabels(situation.instance, component) },
    template: podTemplate(situation, component, pod),
  };
  return manifest(situation, RESOURCES.deployment, { component }, { spec });
}

/** The identity of a component. It has no rights in the cluster. */
export function serviceAccount(situation: Situation, component: ComponentName): Manifest<V1ServiceAccount> {
  const annotations = bucketRole(situation.instance.spec, component);
  const own = { automountServiceAccountToken: false };
  return manifest(situation, RESOURCES.serviceAccount, { component, annotations }, own);
}

interface ServiceParts {
  ports: readonly (Pick<V1ServicePort, 'name' | 'port' | 'targetPort' | 'nodePort'> & { name: string })[];
  /** Default: the component's. */
  name?: string;
  headless?: boolean;
  type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
  annotations?: Record<string, string>;
  spec?: V1ServiceSpec;
}

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

/** Lets a drain take one pod of several at a time, and those that are not ready in any case. */
export function disruptionBudget(situation: Situation, component: ComponentName): Manifest<V1PodDisruptionBudget> {
  const selector = { matchLabels: selectorLabels(situation.instance, component) };
  const spec = { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector };
  return manifest(situation, RESOURCES.podDisruptionBudget, { component }, { spec });
}

/**
 * Seconds for which a pod that ends still listens, until the cluster no longer routes to it. The front keeps names for 5 s, and
 * asks again after 5 s where its name server is leaving with the same node.
 */
export const LEAVE_SECONDS = 20;
export const LEAVING: Pick<V1Container, 'lifecycle'> = {
  lifecycle: { preStop: { sleep: { seconds: LEAVE_SECONDS } } },
};

/** Seconds in which a container has to answer after its start. */
export const START_SECONDS = 120;

const START_PERIOD = 2;
const READY_PERIOD = 5;
const LIVE_PERIOD = 10;

/**
 * All three probes of a container that answers GET with 200 to 399.
 * @param port the name of a container's port
 * @param times seconds until it must answer after its start, and without an answer until it is restarted or gets no more traffic
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
