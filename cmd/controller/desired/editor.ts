import type {
  V1EnvVar,
  V1PodSecurityContext,
  V1ResourceRequirements,
  V1SecurityContext,
} from '@kubernetes/client-node';
import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import { QUARANTINE_SCRIPT } from '../../../src/common/quarantine-script.ts';
import type { KubernetesObject } from '../k8s/api.ts';
import { isTls, PORTS, publicHost, wopiUrl } from './names.ts';
import { environment, type PodParts } from './pod.ts';
import { secretsDigest, secretVariable } from './secrets.ts';
import { dataMount, isStateless, volumeClaims } from './storage.ts';
import type { Instance, Situation } from './types.ts';
import { deployment, httpProbes, ONE_AT_A_TIME, service, serviceAccount } from './workload.ts';

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
  return [
    serviceAccount(situation, 'editor'),
    ...volumeClaims(situation, 'editor'),
    service(situation, 'editor', {
      // The front chooses the pod, by document.
      headless: true,
      // One that is too busy to answer a probe in time would be gone for everybody who edits in it. Without a volume
      // the next pod may be there before this one has ended: then only one that does not end counts.
      spec: { publishNotReadyAddresses: !isStateless(situation, 'editor') },
      ports: [{ name: 'http', port: PORTS.editor.http, targetPort: 'http' }],
    }),
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
          ...aliasGroups(instance),
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

/**
 * The WOPI hosts that the editor talks to, each with documents of its own: the gate and those of the spec. Without any, the
 * first that comes would be the only one. It takes the names of hosts for regular expressions, where a dot is any character.
 */
function aliasGroups(instance: Instance): Record<string, string> {
  const hosts = [wopiUrl(instance), ...instance.spec.editor.wopiHosts];
  return Object.fromEntries(
    hosts.map((host, index) => [`aliasgroup${index + 1}`, host.replaceAll('.', String.raw`\.`)]),
  );
}

function adminVariables(situation: Situation): V1EnvVar[] {
  return [
    secretVariable(situation, 'username', 'editor-admin-username'),
    secretVariable(situation, 'password', 'editor-admin-password'),
  ];
}

/** The folder into which the editor puts a copy of every save before it uploads it. */
const QUARANTINE_PATH = '/quarantine';

/** As many places as the image's list of `net.post_allow` has; one that is left out would keep a private network. */
const POST_ALLOW_PLACES = 16;

/** One setting: `--o:`, a path into the editor's configuration, and a value on one line. */
const SETTING = /^--o:[A-Za-z_][\w.[\]@=-]*=[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/**
 * Arguments of the editor's container, in the order in which they count: of two for the same setting the later one does,
 * so `spec.editor.extraParams` come last. Arguments and not the variable `extra_params`, because the image splits that at
 * blanks without any quoting: here one item is one setting, whatever is in it.
 * @throws {TypeError} for an item of `extraParams` that is anything else than a setting; the API server refuses it first
 */
export function editorArguments(spec: SvcInstanceSpec): string[] {
  const own = Object.entries(settings(spec)).map(([name, value]) => `--o:${name}=${value}`);
  return [...own, ...spec.editor.extraParams.map(checked)].map(unexpanded);
}

function settings(spec: SvcInstanceSpec): Record<string, string | number | boolean> {
  return {
    // TLS ends before the front; addresses in the editor's pages are https nevertheless.
    'ssl.enable': false,
    'ssl.termination': isTls(spec),
    'net.content_security_policy': `frame-ancestors ${frameAncestors(spec).join(' ')}`,
    ...postAllow(),
    // A client could otherwise say where the editor is, by a header.
    'net.proxy_prefix': false,
    // Front and gate read addresses as they are.
    hexify_embedded_urls: false,
    // With a limit it gives up after so many refused uploads, and loses the last changes of those who have left.
    'per_document.limit_store_failures': 0,
    'quarantine_files[@enable]': true,
    'quarantine_files.path': QUARANTINE_PATH,
    // For what is not stored within a minute; the editor drops the oldest above it.
    'quarantine_files.limit_dir_size_mb': 2000,
    num_prespawn_children: 4,
    // Percent of the container's limit.
    memproportion: 80,
    // From `information` on its log has tokens.
    'logging.level': 'warning',
    'logging.anonymize.anonymize_user_data': true,
    'welcome.enable': false,
    allow_update_popup: false,
  };
}

/**
 * The addresses that may post files for conversion: the pod itself and nobody else. The value is a regular expression.
 */
function postAllow(): Record<string, string> {
  const places = Array.from({ length: POST_ALLOW_PLACES }, (_, place) => [
    `net.post_allow.host[${place}]`,
    place === 0 ? String.raw`127\.0\.0\.1` : '',
  ]);
  return Object.fromEntries(places);
}

/**
 * Sources of CSP's `frame-ancestors`: the service's own pages and those of `spec.embed.allowedOrigins`.
 *
 * Hosts are bare, since the editor also takes each entry as the end of `^(http|https)://…$`, and drops messages of a page
 * that none of these fits. A browser reads a bare host as one of the editor's own scheme, so a page over http around an editor
 * over https needs its whole origin as well.
 */
function frameAncestors(spec: SvcInstanceSpec): string[] {
  const { allowedOrigins } = spec.embed;
  // As a source `*:*` says the same; as an expression only it fits.
  if (allowedOrigins.includes('*')) return ['*', '*:*'];
  const sources = allowedOrigins.flatMap((origin) => {
    const host = origin.slice(origin.indexOf('://') + '://'.length);
    return isTls(spec) && origin.startsWith('http://') ? [host, origin] : [host];
  });
  return [...new Set([publicHost(spec), ...sources])];
}

function checked(parameter: string): string {
  if (!SETTING.test(parameter)) {
    throw new TypeError(`editor.extraParams must be settings of the form --o:section.name=value: ${parameter}`);
  }
  return parameter;
}

/** The kubelet would put a variable's value, such as the password, in the place of `$(NAME)`. */
function unexpanded(argument: string): string {
  return argument.replaceAll('$', '$$$$');
}
