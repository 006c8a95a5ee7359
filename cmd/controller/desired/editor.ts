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

/** A stop saves all open documents side by side, each for up to 120 s, and tries again while the gate is away. */
const GRACE_PERIOD_SECONDS = 300;

/** Seconds for which a busy editor may give no answer. */
const BUSY_SECONDS = 180;

/** An open document takes about 200 MB. */
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
    allowPrivilegeEscalation: true,
    capabilities: { drop: ['ALL'], add: ['CHOWN', 'FOWNER', 'SYS_CHROOT'] },
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
      // A busy editor may miss probes, and must stay reachable. Without a volume a second pod may run beside one that ends.
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
          // The editor compares Origin with it: without the scheme's default port.
          server_name: publicHost(instance.spec),
          ...aliasGroups(instance),
          DONT_GEN_SSL_CERT: true,
          dictionaries: instance.spec.editor.dictionaries.join(' '),
        }),
        // The image takes them from the environment only.
        ...adminVariables(situation),
      ],
      ports: [{ name: 'http', containerPort: PORTS.editor.http, protocol: 'TCP' }],
      // The answer to /hosting/capabilities writes a warning to the log.
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

/** The gate and the other WOPI hosts, one group each. The editor takes host names for regular expressions. */
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

/** Folder for the editor's copies of saves. */
const QUARANTINE_PATH = '/quarantine';

/** Length of the image's lists of hosts; entries that are not replaced allow private networks. */
const HOST_PLACES = 16;

/** One setting: `--o:`, a path into the editor's configuration, and a value on one line. */
const SETTING = /^--o:[A-Za-z_][\w.[\]@=-]*=[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/**
 * Arguments of the editor's container. The last of several values of a setting counts, so `spec.editor.extraParams` come last.
 * @throws {TypeError} for an item of `extraParams` that is no setting
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
    // Only the pod itself may post files for conversion. The value is a regular expression.
    ...hosts('net.post_allow', String.raw`127\.0\.0\.1`),
    // From nowhere does the editor fetch pictures that a document links.
    ...hosts('net.lok_allow', ''),
    // Ignores the header by which clients could name the editor's address.
    'net.proxy_prefix': false,
    hexify_embedded_urls: false,
    // With a limit the editor gives up after that many refused uploads, and the last changes are lost.
    'per_document.limit_store_failures': 0,
    'quarantine_files[@enable]': true,
    'quarantine_files.path': QUARANTINE_PATH,
    // Above it the editor drops the oldest copies.
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

/** A list of the image's with one entry, and none for an empty one. */
function hosts(list: string, first: string): Record<string, string> {
  const places = Array.from({ length: HOST_PLACES }, (_, place) => [
    `${list}.host[${place}]`,
    place === 0 ? first : '',
  ]);
  return Object.fromEntries(places);
}

/**
 * Sources of CSP's `frame-ancestors`: the service's own pages and those of `spec.embed.allowedOrigins`. Hosts are bare, since the
 * editor also drops messages of pages that do not fit `^(http|https)://<entry>$`. To browsers a bare host has the editor's scheme,
 * so a page over http around an editor over https needs its whole origin as well.
 */
function frameAncestors(spec: SvcInstanceSpec): string[] {
  const { allowedOrigins } = spec.embed;
  // `*` is for browsers, `*:*` is the one that fits as an expression.
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

/** Without this the kubelet would expand `$(NAME)`, such as the password. */
function unexpanded(argument: string): string {
  return argument.replaceAll('$', '$$$$');
}
