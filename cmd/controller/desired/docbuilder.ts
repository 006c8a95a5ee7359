import type { KubernetesObject } from '../k8s/types.ts';
import { disruptionBudget } from './availability.ts';
import { environment, type Variables } from './env.ts';
import { LICENSE_ENV, licenseFiles } from './license.ts';
import { namesOf, PORTS } from './names.ts';
import type { PodParts } from './pod.ts';
import { httpProbes } from './probes.ts';
import { secretFile, secretFiles, secretsDigest } from './secrets.ts';
import { service } from './services.ts';
import { docbuilderSizing } from './sizing.ts';
import { volumeClaim } from './storage.ts';
import type { Situation } from './types.ts';
import { baseUrl } from './urls.ts';
import { claimMount, scratchMount } from './volumes.ts';
import { deployment, ONE_AT_A_TIME, serviceAccount } from './workload.ts';

const DATA_PATH = '/var/lib/svc/docbuilder';

/** DocBuilder: one pod and its volume, and its Service. */
export function docbuilderObjects(situation: Situation): readonly KubernetesObject[] {
  const { instance } = situation;
  const { component } = namesOf(instance.metadata.name);
  return [
    serviceAccount(situation, 'docbuilder'),
    volumeClaim(situation, 'docbuilder'),
    service(situation, 'docbuilder', component.docbuilder, {
      ports: [{ name: 'http', port: PORTS.docbuilder.http, targetPort: 'http' }],
    }),
    disruptionBudget(situation, 'docbuilder'),
    deployment(situation, 'docbuilder', ONE_AT_A_TIME, docbuilderPod(situation)),
  ];
}

/** Its workers are confined by Landlock and seccomp, which need nothing that a restricted pod has not. */
function docbuilderPod(situation: Situation): PodParts {
  const { instance, secrets } = situation;
  const sizing = docbuilderSizing(situation);
  return {
    container: {
      env: environment(settings(situation, sizing.workers)),
      ports: [{ name: 'http', containerPort: PORTS.docbuilder.http, protocol: 'TCP' }],
      ...httpProbes('/v1/status', 'http'),
    },
    resources: sizing.resources,
    mounts: [
      claimMount('data', DATA_PATH, namesOf(instance.metadata.name).component.docbuilder),
      scratchMount('tmp', '/tmp', '256Mi'),
      scratchMount('shared-memory', '/dev/shm', sizing.sharedMemory, 'Memory'),
      secretFiles(situation, 'docbuilder'),
      ...licenseFiles(instance),
    ],
    terminationGracePeriodSeconds: sizing.gracePeriodSeconds,
    configHash: secretsDigest('docbuilder', secrets),
  };
}

/** `schemas/docbuilder-config.json`. */
function settings(situation: Situation, workers: number): Variables {
  const { spec } = situation.instance;
  const { docbuilder } = spec;
  return {
    SVC_BASE_URL: baseUrl(spec),
    SVC_DOCBUILDER_DATA_DIR: DATA_PATH,
    SVC_DOCBUILDER_API_KEYS_FILE: secretFile(situation, 'docbuilder-api-keys'),
    SVC_DOCBUILDER_JWT_SECRET_FILE: secretFile(situation, 'docbuilder-jwt-secret'),
    SVC_DOCBUILDER_CALLBACK_SECRET_FILE: secretFile(situation, 'docbuilder-callback-secret'),
    SVC_DOCBUILDER_WORKERS: workers,
    SVC_DOCBUILDER_WORKER_MAX_JOBS: docbuilder.workerMaxJobs,
    SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES: docbuilder.workerMaxAgeMinutes,
    SVC_DOCBUILDER_WORKER_MEMORY_MB: docbuilder.workerMemoryMb,
    SVC_DOCBUILDER_SANDBOX: docbuilder.sandbox.toLowerCase(),
    SVC_DOCBUILDER_MAX_FILE_MB: docbuilder.maxFileMb,
    SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: docbuilder.jobTimeoutSeconds,
    ...LICENSE_ENV,
    SVC_FETCH_ALLOW_HOSTS: spec.outbound.allowHosts.join(','),
    SVC_FETCH_DENY: spec.outbound.denyCidrs.join(','),
    SVC_LOG_LEVEL: spec.logLevel.toLowerCase(),
    SVC_AUDIT_TARGET: spec.auditTarget,
    SVC_DEV_MODE: spec.devMode,
  };
}
