import type { V1ConfigMap, V1EnvVar, V2HorizontalPodAutoscaler } from '@kubernetes/client-node';
import { type KubernetesObject, RESOURCES } from '../k8s/api.ts';
import { commonFiles, commonVariables, dataWorkload } from './data-service.ts';
import { type Manifest, manifest } from './labels.ts';
import { baseUrl, objectNames, PORTS } from './names.ts';
import { anyAddress, configMount, environment, type PodParts, scratchMount, type Variables } from './pod.ts';
import { secretFile, secretsDigest } from './secrets.ts';
import { docbuilderSizing, type Sizing } from './sizing.ts';
import { dataMount, isShared, volumeClaims } from './storage.ts';
import type { Situation } from './types.ts';
import { httpProbes, START_SECONDS, service, serviceAccount } from './workload.ts';

const DATA_PATH = '/var/lib/svc/docbuilder';
const WORKERS_PATH = '/run/svc/workers';
const WORKERS_FILE = 'workers';

/** The address at which other pods of DocBuilder pass work on to this one. */
const POD_IP: V1EnvVar = { name: 'SVC_POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };

/** DocBuilder: Deployment, claim, Service, autoscaler, and the number of workers in each pod, which it watches. */
export function docbuilderObjects(situation: Situation): readonly KubernetesObject[] {
  const sizing = docbuilderSizing(situation);
  // Between its bounds the number is the autoscaler's: to apply it would undo what it has just set.
  const isScaled = sizing.scaling && situation.docbuilder?.replicas === sizing.replicas;
  return [
    serviceAccount(situation, 'docbuilder'),
    workerCount(situation, sizing),
    ...volumeClaims(situation, 'docbuilder'),
    service(situation, 'docbuilder', {
      // The front chooses the pod, by the requests that each has.
      headless: isShared(situation.instance.spec),
      ports: [{ name: 'http', port: PORTS.docbuilder.http, targetPort: 'http' }],
    }),
    ...autoscaler(situation, sizing),
    ...dataWorkload(situation, 'docbuilder', isScaled ? undefined : sizing.replicas, docbuilderPod(situation, sizing)),
  ];
}

function autoscaler(situation: Situation, { scaling }: Sizing): Manifest<V2HorizontalPodAutoscaler>[] {
  const { metadata, spec } = situation.instance;
  const averageUtilization = spec.docbuilder.autoscaling?.cpuPercent;
  if (!scaling || averageUtilization === undefined) return [];
  const { docbuilder: name } = objectNames(metadata.name).component;
  const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization } };
  const scaler = {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    ...{ minReplicas: scaling.min, maxReplicas: scaling.max },
    metrics: [{ type: 'Resource', resource: cpu }],
  };
  return [manifest(situation, RESOURCES.horizontalPodAutoscaler, { component: 'docbuilder' }, { spec: scaler })];
}

function workerCount(situation: Situation, { workersPerPod }: Sizing): Manifest<V1ConfigMap> {
  const data = { [WORKERS_FILE]: String(workersPerPod) };
  return manifest(situation, RESOURCES.configMap, { component: 'docbuilder' }, { data });
}

function docbuilderPod(situation: Situation, sizing: Sizing): PodParts {
  const { instance, secrets, docbuilder } = situation;
  const { component } = objectNames(instance.metadata.name);
  // A pod that was deleted or evicted may still end its jobs in the volume, and its successor waits for that.
  const wait = isShared(instance.spec) ? 0 : sizing.gracePeriodSeconds;
  return {
    container: {
      env: [...environment(settings(situation)), ...(isShared(instance.spec) ? [POD_IP] : [])],
      ports: [{ name: 'http', containerPort: PORTS.docbuilder.http, protocol: 'TCP' }],
      ...httpProbes('/v1/status', 'http', { start: START_SECONDS + wait }),
    },
    resources: docbuilder?.template ?? sizing.resources,
    mounts: [
      dataMount(situation, 'docbuilder', DATA_PATH),
      configMount('workers', WORKERS_PATH, component.docbuilder),
      scratchMount('tmp', '/tmp', '256Mi'),
      scratchMount('shared-memory', '/dev/shm', sizing.sharedMemory, 'Memory'),
      ...commonFiles(situation, 'docbuilder'),
    ],
    terminationGracePeriodSeconds: sizing.gracePeriodSeconds,
    configHash: secretsDigest('docbuilder', secrets),
  };
}

/** `schemas/docbuilder-config.json`. */
function settings(situation: Situation): Variables {
  const { spec } = situation.instance;
  const { docbuilder } = spec;
  return {
    SVC_BASE_URL: baseUrl(spec),
    SVC_DOCBUILDER_LISTEN: `${anyAddress(situation.settings)}:${PORTS.docbuilder.http}`,
    SVC_DOCBUILDER_DATA_DIR: DATA_PATH,
    SVC_DOCBUILDER_API_KEYS_FILE: secretFile(situation, 'docbuilder-api-keys'),
    SVC_DOCBUILDER_JWT_SECRET_FILE: secretFile(situation, 'docbuilder-jwt-secret'),
    SVC_DOCBUILDER_CALLBACK_SECRET_FILE: secretFile(situation, 'docbuilder-callback-secret'),
    SVC_DOCBUILDER_WORKERS_FILE: `${WORKERS_PATH}/${WORKERS_FILE}`,
    SVC_DOCBUILDER_WORKER_MAX_JOBS: docbuilder.workerMaxJobs,
    SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES: docbuilder.workerMaxAgeMinutes,
    SVC_DOCBUILDER_WORKER_MEMORY_MB: docbuilder.workerMemoryMb,
    SVC_DOCBUILDER_SANDBOX: docbuilder.sandbox.toLowerCase(),
    SVC_DOCBUILDER_MAX_FILE_MB: docbuilder.maxFileMb,
    SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: docbuilder.jobTimeoutSeconds,
    ...commonVariables(situation),
  };
}
