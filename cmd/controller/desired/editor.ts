import type {
  V1EnvVar,
  V1PodSecurityContext,
  V1ResourceRequirements,
  V1SecurityContext,
} from '@kubernetes/client-node';
import { QUARANTINE_SCRIPT } from '../../../src/common/quarantine-script.ts';
import type { KubernetesObject } from '../k8s/api.ts';
import { disruptionBudget } from './availability.ts';
import { editorArguments, QUARANTINE_PATH, unexpanded } from './editor-params.ts';
import { environment } from './env.ts';
import { objectNames, PORTS } from './names.ts';
import type { PodParts } from './pod.ts';
import { httpProbes } from './probes.ts';
import { secretsDigest, secretVariable } from './secrets.ts';
import { service } from './services.ts';
import { dataMount, isStateless, volumeClaims } from './storage.ts';
import type { Situation } from './types.ts';
import { publicHost, wopiUrl } from './urls.ts';
import { deployment, ONE_AT_A_TIME, serviceAccount } from './workload.ts';

/**
 * When it is told to stop it saves every open document: up to 120 s each, side by side, and tries again when the gate
 * is away.
 */
const GRACE_PERIOD_SECONDS = 300;

/** A busy editor may be silent for so long. */
const BUSY_SECONDS = 180;

/** About 200 MB for each open document; the size for a company is for the spec to say. */
const RESOURCES: V1ResourceRequirements = {
  requests: { cpu: '500m', memory: '1Gi' },
  limits: { cpu: '4', memory: '4Gi' },
};

/** User and group `cool` of the image. */
const COOL_ID = 1001;

/** docs/decisions/0011-controller.md, Editor pod, says why each of these is needed. */
const SECURITY: { pod: V1PodSecurityContext; container: V1SecurityContext } = {
  pod: { runAsUser: COOL_ID, runAsGroup: COOL_ID, fsGroup: COOL_ID },
  container: {
    // Its fork server gets its capabilities by the attributes of its file.
    allowPrivilegeEscalation: true,
    capabilities: { drop: ['ALL'], add: ['CHOWN', 'FOWNER', 'SYS_CHROOT'] },
    // The roots of documents are in it: on a volume they would outlive a container that was killed.
    readOnlyRootFilesystem: false,
  },
};

/** The editor server: one pod, the volume of what it could not save, and a Service that stands for the pod itself. */
export function editorObjects(situation: Situation): readonly KubernetesObject[] {
  const { component } = objectNames(situation.instance.metadata.name);
  return [
    serviceAccount(situation, 'editor'),
    ...volumeClaims(situation, 'editor'),
    service(situation, 'editor', component.editor, {
      // The front chooses the pod, by document.
      headless: true,
      // One that is too busy to answer a probe in time would be gone for everybody who edits in it. Without a volume
      // the next pod may be there before this one has ended: then only one that does not end counts.
      spec: { publishNotReadyAddresses: !isStateless(situation, 'editor') },
      ports: [{ name: 'http', port: PORTS.editor.http, targetPort: 'http' }],
    }),
    disruptionBudget(situation, 'editor'),
    deployment(situation, 'editor', ONE_AT_A_TIME, editorPod(situation)),
  ];
}

function editorPod(situation: Situation): PodParts {
  const { instance, secrets } = situation;
  const movable = isStateless(situation, 'editor');
  return {
    container: {
      args: editorArguments(instance.spec),
      env: [
        ...environment({
          // The editor compares Origin with it, so the scheme's own port must not be in it.
          server_name: publicHost(instance.spec),
          // The only WOPI host it talks to. Without one the first that comes would be it.
          aliasgroup1: wopiUrl(instance),
          DONT_GEN_SSL_CERT: true,
          dictionaries: instance.spec.editor.dictionaries.join(' '),
        }),
        // The image takes them from the environment only.
        ...adminVariables(situation),
      ],
      ports: [{ name: 'http', containerPort: PORTS.editor.http, protocol: 'TCP' }],
      // A busy one answers late; to start it again cuts everybody off, and so would a Service that leaves it out. Its
      // capabilities would be a warning in its log each time.
      ...httpProbes('/', 'http', {
        ...{ start: 180, dead: BUSY_SECONDS },
        ...(movable && { unready: BUSY_SECONDS }),
      }),
    },
    resources: RESOURCES,
    beside: quarantineKeeper(situation),
    mounts: [dataMount(situation, 'editor', QUARANTINE_PATH, 'quarantine')],
    movable,
    terminationGracePeriodSeconds: GRACE_PERIOD_SECONDS,
    configHash: secretsDigest('editor', secrets),
    // A node is not worth emptying while people edit on it.
    annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
    security: SECURITY,
  };
}

/** Hands the gate what the editor could not store (docs/decisions/0010-gate.md). */
function quarantineKeeper(situation: Situation): NonNullable<PodParts['beside']> {
  return {
    name: 'quarantine',
    command: ['sh', '-c', unexpanded(QUARANTINE_SCRIPT)],
    env: [
      ...environment({ QUARANTINE_DIR: QUARANTINE_PATH, GATE_URL: wopiUrl(situation.instance) }),
      ...adminVariables(situation),
    ],
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '500m', memory: '64Mi' } },
    volumeMounts: [{ name: 'quarantine', mountPath: QUARANTINE_PATH }],
  };
}

function adminVariables(situation: Situation): V1EnvVar[] {
  return [
    secretVariable(situation, 'username', 'editor-admin-username'),
    secretVariable(situation, 'password', 'editor-admin-password'),
  ];
}
