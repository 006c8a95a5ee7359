import type {
  V1Container,
  V1Deployment,
  V1Ingress,
  V1NetworkPolicy,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1Service,
} from '@kubernetes/client-node';
import type { KubernetesObject } from '../../cmd/controller/k8s/api.ts';

interface Pod {
  name: string;
  labels: Record<string, string>;
  spec: V1PodSpec;
  replicas: number;
  /** A Pod by itself ends; a Deployment's stays. */
  stays: boolean;
}

type Finding = string | false | undefined;

/**
 * What is against the rules in a set of objects that are applied together, as `Kind/name: rule`: the main checks of
 * kube-linter and the restricted pod security standard, without a tool to build.
 */
export function ruleBreaks(objects: readonly KubernetesObject[]): string[] {
  const pods = objects.flatMap(podsOf);
  return objects.flatMap((object) => {
    const rules = RULES[object.kind] ?? (() => []);
    return [...labelled(object), ...rules(object as never, { objects, pods })]
      .filter((finding) => typeof finding === 'string')
      .map((finding) => `${object.kind}/${object.metadata.name}: ${finding}`);
  });
}

interface Set {
  objects: readonly KubernetesObject[];
  pods: readonly Pod[];
}

const RULES: Record<string, (object: never, set: Set) => Finding[]> = {
  Deployment: (object: V1Deployment & KubernetesObject, set) => [
    ...podRules(podsOf(object)[0] as Pod, set),
    !matches(object.spec?.selector.matchLabels, podsOf(object)[0]?.labels) && 'selector does not match its pods',
    'app.kubernetes.io/version' in (object.spec?.selector.matchLabels ?? {}) && 'version in the selector',
  ],
  Pod: (object: KubernetesObject, set) => podRules(podsOf(object)[0] as Pod, set),
  Service: ({ spec }: V1Service, { pods }) => {
    const behind = pods.filter(({ labels }) => matches(spec?.selector, labels));
    const ports = behind.flatMap(({ spec: { containers } }) => containers.flatMap(({ ports: all = [] }) => all));
    return [
      behind.length === 0 && 'selects no pod',
      ...(spec?.ports ?? []).map(
        ({ port, targetPort = port }) =>
          !ports.some(({ name, containerPort }) => targetPort === name || targetPort === containerPort) &&
          `no pod has port ${targetPort}`,
      ),
    ];
  },
  PodDisruptionBudget: ({ spec }: V1PodDisruptionBudget, { pods }) => {
    const replicas = pods.find(({ labels }) => matches(spec?.selector?.matchLabels, labels))?.replicas ?? 0;
    return [
      replicas === 0 && 'selects no pod',
      spec?.unhealthyPodEvictionPolicy !== 'AlwaysAllow' && 'a broken pod would stop a drain',
      (spec?.maxUnavailable === 0 || Number(spec?.minAvailable ?? 0) >= replicas) && 'stops every drain',
    ];
  },
  NetworkPolicy: ({ spec }: V1NetworkPolicy, { pods }) => [
    !pods.some(({ labels }) => matches(spec?.podSelector?.matchLabels ?? {}, labels)) && 'selects no pod',
  ],
  Ingress: ({ spec }: V1Ingress, { objects }) =>
    (spec?.rules ?? [])
      .flatMap(({ http }) => http?.paths ?? [])
      .map(({ backend: { service } }) => {
        const found = objects.find(({ kind, metadata: { name } }) => kind === 'Service' && name === service?.name);
        const ports = (found as V1Service | undefined)?.spec?.ports ?? [];
        const there = ports.some(({ name, port }) => port === service?.port?.number || name === service?.port?.name);
        return !there && `no Service ${service?.name} with that port`;
      }),
  Role: roleRules,
  ClusterRole: roleRules,
};

function podRules({ name, labels, spec, replicas, stays }: Pod, { objects }: Set): Finding[] {
  const selects = (kind: string, selector: (object: never) => Record<string, string> | undefined) =>
    objects.some((object) => object.kind === kind && matches(selector(object as never), labels));
  const account = objects.some(
    ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === spec.serviceAccountName,
  );
  return [
    !account && `no ServiceAccount ${spec.serviceAccountName}`,
    spec.automountServiceAccountToken !== false && !/-(controller|test)$/.test(name) && 'has a token',
    spec.enableServiceLinks !== false && 'has service links',
    (spec.hostNetwork || spec.hostPID || spec.hostIPC) && 'shares a namespace of the host',
    spec.volumes?.some(({ hostPath }) => hostPath) && 'mounts a folder of the host',
    spec.securityContext?.runAsNonRoot !== true && 'may run as root',
    spec.securityContext?.seccompProfile?.type !== 'RuntimeDefault' && 'has no seccomp profile',
    stays &&
      !selects('NetworkPolicy', (o: V1NetworkPolicy) => o.spec?.podSelector?.matchLabels ?? {}) &&
      'is not isolated',
    stays &&
      !selects('PodDisruptionBudget', (o: V1PodDisruptionBudget) => o.spec?.selector?.matchLabels) &&
      'no budget',
    replicas > 1 && !spec.affinity?.podAntiAffinity && !spec.topologySpreadConstraints && 'may all be on one node',
    ...[...(spec.initContainers ?? []), ...spec.containers].flatMap((container) => containerRules(container)),
    ...(stays ? spec.containers.flatMap(probeRules) : []),
  ];
}

function containerRules({ image = '', env = [], resources, securityContext: own }: V1Container): Finding[] {
  const names = env.map((variable) => variable.name);
  return [
    !/(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/.test(image) && `image ${image} has no version`,
    image.endsWith(':latest') && 'image latest',
    !resources?.requests?.['cpu'] && 'requests no CPU',
    !resources?.requests?.['memory'] && 'requests no memory',
    !resources?.limits?.['memory'] && 'has no memory limit',
    own?.allowPrivilegeEscalation !== false && 'may escalate privileges',
    own?.privileged === true && 'is privileged',
    own?.readOnlyRootFilesystem !== true && 'writes to its root',
    !own?.capabilities?.drop?.includes('ALL') && 'keeps capabilities',
    (own?.capabilities?.add?.length ?? 0) > 0 && 'adds capabilities',
    own?.runAsUser === 0 && 'runs as root',
    new Set(names).size < names.length && 'a variable twice',
    ...env.map(({ name, value, valueFrom }) => {
      if (valueFrom?.secretKeyRef) return `secret in variable ${name}`;
      return /(SECRET|PASSWORD|KEY|TOKEN)$/.test(name) && value ? `secret in variable ${name}` : undefined;
    }),
  ];
}

function probeRules({ name, ports = [], livenessProbe, readinessProbe, startupProbe }: V1Container): Finding[] {
  const there = new Set(ports.flatMap((port) => [port.name, port.containerPort]));
  return [
    !livenessProbe && `${name} has no liveness probe`,
    !readinessProbe && `${name} has no readiness probe`,
    ...[livenessProbe, readinessProbe, startupProbe].map((probe) => {
      const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port;
      return (
        port !== undefined && !there.has(port as string | number) && `probe of port ${port}, which is not declared`
      );
    }),
  ];
}

interface Role {
  rules?: { apiGroups?: string[]; resources?: string[]; verbs: string[]; nonResourceURLs?: string[] }[];
}

function roleRules({ rules = [] }: Role): Finding[] {
  return rules.map(
    ({ apiGroups = [], resources = [], verbs, nonResourceURLs = [] }) =>
      [...apiGroups, ...resources, ...verbs, ...nonResourceURLs].some((word) => word.includes('*')) && 'wildcard',
  );
}

const LABELS = ['name', 'instance', 'managed-by', 'part-of'];

function labelled({ kind, metadata }: KubernetesObject): Finding[] {
  if (kind === 'SvcInstance' || kind === 'CustomResourceDefinition') return [];
  return LABELS.map((name) => !metadata.labels?.[`app.kubernetes.io/${name}`] && `no label ${name}`);
}

function podsOf(object: KubernetesObject): Pod[] {
  const { name, labels = {} } = object.metadata;
  if (object.kind === 'Pod') {
    return [{ name, labels, spec: (object as { spec?: V1PodSpec }).spec as V1PodSpec, replicas: 1, stays: false }];
  }
  if (object.kind !== 'Deployment') return [];
  const { spec } = object as KubernetesObject & Pick<V1Deployment, 'spec'>;
  const template = spec?.template;
  const podLabels = template?.metadata?.labels ?? {};
  return [{ name, labels: podLabels, spec: template?.spec as V1PodSpec, replicas: spec?.replicas ?? 1, stays: true }];
}

function matches(selector: Record<string, string> | undefined, labels: Record<string, string> | undefined): boolean {
  return selector !== undefined && Object.entries(selector).every(([name, value]) => labels?.[name] === value);
}
