import { isIPv6 } from 'node:net';
import type {
  V1Affinity,
  V1Container,
  V1EnvVar,
  V1KeyToPath,
  V1PodSecurityContext,
  V1PodSpec,
  V1PodTemplateSpec,
  V1SecurityContext,
  V1Toleration,
  V1Volume,
} from '@kubernetes/client-node';
import { ANNOTATION, podLabels, selectorLabels } from './labels.ts';
import { objectNames } from './names.ts';
import type { ComponentName, Instance, PodResources, Settings, Situation } from './types.ts';

/** User and group of our images. */
const SVC_ID = 10001;

/** The parts of a pod that differ between components. */
export interface PodParts {
  container: Pick<
    V1Container,
    | 'args'
    | 'command'
    | 'env'
    | 'ports'
    | 'startupProbe'
    | 'livenessProbe'
    | 'readinessProbe'
    | 'lifecycle'
    | 'terminationMessagePolicy'
  >;
  /** Where the spec has none. */
  resources: PodResources;
  mounts: readonly Mount[];
  /** Another container beside it, of the same image. */
  beside?: Pick<V1Container, 'name' | 'command' | 'env' | 'resources' | 'volumeMounts'>;
  terminationGracePeriodSeconds: number;
  /** Digest of what the component reads at its start only; another one restarts it. */
  configHash?: string;
  annotations?: Readonly<Record<string, string>>;
  /** Several pods go to different nodes and zones where that is possible. */
  spread?: boolean;
  /** Without a volume: another pod is made soon after the node is lost. */
  movable?: boolean;
  /** Exceptions to the restricted profile, member by member. */
  security?: { pod?: V1PodSecurityContext; container?: V1SecurityContext };
}

/**
 * The pod of a component: restricted (Pod Security Standards), without a token of the API server. Of `spec.<component>.pod`
 * labels and annotations give way to ours; its resources replace the component's as a whole.
 */
export function podTemplate(situation: Situation, component: ComponentName, parts: PodParts): V1PodTemplateSpec {
  const { instance, settings } = situation;
  const { images } = instance.spec;
  const pullSecrets =
    images.pullSecrets.length > 0 ? images.pullSecrets : settings.pullSecrets.map((name) => ({ name }));
  const overrides = instance.spec[component].pod;
  const annotations = {
    ...overrides.annotations,
    ...parts.annotations,
    ...(parts.configHash !== undefined && { [ANNOTATION.configHash]: parts.configHash }),
  };
  const image = { image: imageFor(situation, component), imagePullPolicy: images.pullPolicy };
  const { nodeSelector, affinity, priorityClassName } = overrides;
  const tolerations = parts.movable ? leavingLostNodes(overrides.tolerations) : overrides.tolerations;
  return {
    metadata: {
      labels: { ...overrides.labels, ...podLabels(instance, component) },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      serviceAccountName: objectNames(instance.metadata.name).component[component],
      automountServiceAccountToken: false,
      // A variable of a Service could have the name of one of ours.
      enableServiceLinks: false,
      securityContext: { ...POD_SECURITY, ...parts.security?.pod },
      terminationGracePeriodSeconds: parts.terminationGracePeriodSeconds,
      ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets }),
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations && { tolerations }),
      ...(parts.spread ? spread(instance, component, affinity) : affinity && { affinity }),
      ...(priorityClassName && { priorityClassName }),
      containers: [
        {
          name: component,
          ...image,
          ...parts.container,
          resources: overrides.resources ? withTexts(overrides.resources) : parts.resources,
          securityContext: { ...CONTAINER_SECURITY, ...parts.security?.container },
          volumeMounts: parts.mounts.map(({ name, path, readOnly }) => ({
            name,
            mountPath: path,
            ...(readOnly && { readOnly }),
          })),
        },
        ...(parts.beside ? [{ ...image, ...parts.beside, securityContext: CONTAINER_SECURITY }] : []),
      ],
      volumes: parts.mounts.map(({ name, source }) => ({ name, ...source })),
    },
  };
}

/** The instance's own image of a component, or the controller's. */
export function imageFor(
  { instance, settings }: Pick<Situation, 'instance' | 'settings'>,
  component: ComponentName,
): string {
  const { images, editor } = instance.spec;
  return (component === 'editor' ? editor.image : images[component]) ?? settings.images[component];
}

const POD_SECURITY: V1PodSecurityContext = {
  runAsNonRoot: true,
  runAsUser: SVC_ID,
  runAsGroup: SVC_ID,
  fsGroup: SVC_ID,
  // Otherwise each start walks through the whole volume.
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
};

const CONTAINER_SECURITY: V1SecurityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Returns quantities as texts; in a spec they may be numbers. */
export function withTexts({ requests, limits }: PodResources): PodResources {
  const texts = (values: Readonly<Record<string, string | number>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return { ...(requests && { requests: texts(requests) }), ...(limits && { limits: texts(limits) }) };
}

/** Such a node has been silent for 40 to 50 s. Kubernetes' own toleration is 300 s. */
const LOST: V1Toleration = {
  key: 'node.kubernetes.io/unreachable',
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 0,
};

/** Adds the toleration for lost nodes, unless the spec has one. */
function leavingLostNodes(tolerations: readonly V1Toleration[] = []): V1Toleration[] {
  const isTold = tolerations.some(({ key }) => key === undefined || key === LOST.key);
  return isTold ? [...tolerations] : [...tolerations, LOST];
}

/**
 * Prefers different nodes and zones. Nodes by an affinity, since schedulers pass over nodes that lack the key of any constraint,
 * and not every cluster has zones. Pods of a former template do not count.
 */
function spread(
  instance: Instance,
  component: ComponentName,
  affinity: V1Affinity | undefined,
): Pick<V1PodSpec, 'affinity' | 'topologySpreadConstraints'> {
  const alike = {
    labelSelector: { matchLabels: selectorLabels(instance, component) },
    matchLabelKeys: ['pod-template-hash'],
  };
  const podAffinityTerm = { ...alike, topologyKey: 'kubernetes.io/hostname' };
  return {
    affinity: {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] },
      ...affinity,
    },
    topologySpreadConstraints: [
      { ...alike, maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
  };
}

/** A volume and its path in the container. */
export interface Mount {
  name: string;
  path: string;
  readOnly?: boolean;
  source: Omit<V1Volume, 'name'>;
}

const READ_ONLY_MODE = 0o440;

/** Mounts a Secret: `keys`, each of which must exist, or all. */
export function secretMount(name: string, path: string, secretName: string, keys?: readonly string[]): Mount {
  const items = keys && { items: keys.map((key) => ({ key, path: key })) };
  return { name, path, readOnly: true, source: { secret: { secretName, defaultMode: READ_ONLY_MODE, ...items } } };
}

/** Mounts a ConfigMap: `items`, or all. */
export function configMount(name: string, path: string, configMapName: string, items?: V1KeyToPath[]): Mount {
  const configMap = { name: configMapName, defaultMode: READ_ONLY_MODE, ...(items && { items }) };
  return { name, path, readOnly: true, source: { configMap } };
}

/** Mounts a claim. */
export function claimMount(name: string, path: string, claimName: string): Mount {
  return { name, path, source: { persistentVolumeClaim: { claimName } } };
}

/**
 * A folder that ends with the pod.
 * @param sizeLimit a quantity; the pod is evicted above it
 * @param medium Memory: counts against the container's memory limit
 */
export function scratchMount(name: string, path: string, sizeLimit: string, medium?: 'Memory'): Mount {
  return { name, path, source: { emptyDir: { sizeLimit, ...(medium && { medium }) } } };
}

/** Returns where a pod listens: at all addresses, which are IPv6 where the controller's is. */
export function anyAddress({ listen }: Pick<Settings, 'listen'>): '[::]' | '0.0.0.0' {
  return isIPv6(listen.host) ? '[::]' : '0.0.0.0';
}

/** Variables by their names. */
export type Variables = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Environment variables in the order given. Booleans become 1 and 0 (contract: Configuration); undefined and empty values are
 * left out. A `$` is doubled: the kubelet would expand `$(NAME)`.
 */
export function environment(values: Variables): V1EnvVar[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === '') return [];
    const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
    return [{ name, value: text.replaceAll('$', '$$$$') }];
  });
}
