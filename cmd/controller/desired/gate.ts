import type { V1ResourceRequirements } from '@kubernetes/client-node';
import type { KubernetesObject } from '../k8s/api.ts';
import { commonFiles, commonVariables, dataWorkload } from './data-service.ts';
import { baseUrl, editorUrl, objectNames, PORTS, wopiUrl } from './names.ts';
import { anyAddress, environment, type PodParts, scratchMount, type Variables } from './pod.ts';
import { secretFile, secretsDigest, secretVariable } from './secrets.ts';
import { dataMount, isShared, volumeClaims } from './storage.ts';
import type { Situation } from './types.ts';
import { httpProbes, service, serviceAccount } from './workload.ts';

const DATA_PATH = '/var/lib/svc/gate';

/** Requests end within 8 s, then a save that has begun within 25 s. */
const GRACE_PERIOD_SECONDS = 40;

/** Default number of gates on a shared store. */
const REPLICAS = 2;

const RESOURCES: V1ResourceRequirements = {
  requests: { cpu: '100m', memory: '192Mi' },
  limits: { cpu: '1', memory: '512Mi' },
};

/** The gate: Deployment, claim, one Service for everybody and one for front and editor. */
export function gateObjects(situation: Situation): readonly KubernetesObject[] {
  const { instance } = situation;
  const { gateInternal } = objectNames(instance.metadata.name);
  const { http, internal } = PORTS.gate;
  return [
    serviceAccount(situation, 'gate'),
    ...volumeClaims(situation, 'gate'),
    service(situation, 'gate', {
      // The front chooses the pod, and asks another one where it gets no connection.
      headless: isShared(instance.spec),
      ports: [{ name: 'http', port: http, targetPort: 'http' }],
    }),
    service(situation, 'gate', {
      name: gateInternal,
      // A single gate must be reachable for the editor as soon as it creates sessions, and still takes saves while it ends.
      spec: { publishNotReadyAddresses: !isShared(instance.spec) },
      ports: [{ name: 'internal', port: internal, targetPort: 'internal' }],
    }),
    ...dataWorkload(situation, 'gate', instance.spec.gate.replicas ?? REPLICAS, gatePod(situation)),
  ];
}

function gatePod(situation: Situation): PodParts {
  const { secrets } = situation;
  return {
    container: {
      env: [
        ...environment(settings(situation)),
        secretVariable(situation, 'SVC_ONLINE_ADMIN_USER', 'editor-admin-username'),
      ],
      ports: [
        { name: 'http', containerPort: PORTS.gate.http, protocol: 'TCP' },
        { name: 'internal', containerPort: PORTS.gate.internal, protocol: 'TCP' },
      ],
      ...httpProbes('/svc/healthz', 'http'),
    },
    resources: RESOURCES,
    mounts: [
      dataMount(situation, 'gate', DATA_PATH),
      scratchMount('tmp', '/tmp', '64Mi'),
      ...commonFiles(situation, 'gate'),
    ],
    terminationGracePeriodSeconds: GRACE_PERIOD_SECONDS,
    configHash: secretsDigest('gate', secrets),
  };
}

/** `schemas/gate-config.json`. */
function settings(situation: Situation): Variables {
  const { instance } = situation;
  const { spec } = instance;
  const { embed, gate } = spec;
  const origins = embed.allowedOrigins.includes('*') ? ['*'] : [baseUrl(spec), ...embed.allowedOrigins];
  return {
    SVC_BASE_URL: baseUrl(spec),
    SVC_GATE_LISTEN: `${anyAddress(situation.settings)}:${PORTS.gate.http}`,
    SVC_GATE_INTERNAL_LISTEN: `${anyAddress(situation.settings)}:${PORTS.gate.internal}`,
    SVC_GATE_DATA_DIR: DATA_PATH,
    SVC_GATE_WOPI_URL: wopiUrl(instance),
    SVC_ONLINE_URL: editorUrl(instance),
    SVC_ONLINE_ADMIN_PASSWORD_FILE: secretFile(situation, 'editor-admin-password'),
    SVC_GATE_CONNECTION_CAP: gate.connectionCap,
    SVC_EMBED_ENABLED: embed.enabled,
    SVC_EMBED_JWT_SECRET_FILE: secretFile(situation, 'embed-jwt-secret'),
    SVC_EMBED_JWT_SECRET_PREVIOUS_FILE: secretFile(situation, 'embed-jwt-secret-previous'),
    SVC_EMBED_ALLOW_UNSIGNED: embed.allowUnsigned,
    SVC_EMBED_ALLOWED_ORIGINS: [...new Set(origins)].join(','),
    SVC_EMBED_FOREIGN_HOSTS: embed.foreignHosts ? 'on' : 'off',
    SVC_EMBED_MAX_FILE_MB: embed.maxFileMb,
    SVC_EMBED_SESSION_TTL_MINUTES: embed.sessionTtlMinutes,
    SVC_EMBED_RETAIN_HOURS: embed.retainHours,
    SVC_EMBED_CALLBACK_SECRET_FILE: secretFile(situation, 'embed-callback-secret'),
    SVC_EMBED_LINK_SECRET_FILE: secretFile(situation, 'embed-link-secret'),
    // In development the gate's own demo has a document and a receiver.
    ...commonVariables(situation, spec.devMode ? [`127.0.0.1:${PORTS.gate.http}`] : []),
  };
}
