import type { EventsV1Event, V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { clip } from '../../../src/common/truncate.ts';
import { COMPONENT_LABEL } from '../desired/labels.ts';
import type { ComponentName } from '../desired/types.ts';
import { type KubernetesObject, RESOURCES, type Resource } from '../k8s/api.ts';
import type { Client } from '../k8s/client.ts';
import type { Trouble } from './live-object.ts';

export type Pod = V1Pod & KubernetesObject;

/** Why a pod does not run, without figures that change by themselves. */
type PodTrouble = Omit<Trouble, 'stalled'>;

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** Tells Kubernetes that a node is gone for good, so that it frees the volumes. */
function taintCommand(node: string): string {
  return `kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`;
}

/** Ends a message with a full stop. */
export function asSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

export const PODS: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
/** Milliseconds after which a pod's trouble counts as stalled. */
const STALLED_MS = 600_000;

/**
 * Finds out why the pods of an instance do not run, by component. A lost node comes first: other pods may wait for their volumes
 * because of it.
 */
export async function podTroubles(
  client: Client,
  namespace: string,
  instance: string,
): Promise<Map<ComponentName, Trouble>> {
  const labelSelector = `app.kubernetes.io/name=svc,app.kubernetes.io/instance=${instance}`;
  const { items, time: now } = await client.list<Pod>(PODS, { namespace, labelSelector, limit: 200 });
  const troubles = new Map<ComponentName, Trouble>();
  for (const find of [nodeTrouble, findPodTrouble, (pod: Pod) => eventTrouble(client, pod)]) {
    for (const pod of items) {
      const component = pod.metadata.labels?.[COMPONENT_LABEL] as ComponentName | undefined;
      if (!component || troubles.has(component)) continue;
      const trouble = await find(pod, now);
      if (trouble) troubles.set(component, { ...trouble, stalled: now - unreadySince(pod) >= STALLED_MS });
    }
  }
  return troubles;
}

/** Reads from a pod's status why it does not run. */
export function findPodTrouble(pod: Pod): PodTrouble | undefined {
  const { name } = pod.metadata;
  if (isOver(pod)) return undefined;
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) {
    const message = unscheduled.message ?? 'no node can take it';
    if (!/persistentvolumeclaim/i.test(message)) {
      return { reason: 'Unschedulable', message: `No node can take pod ${name}: ${message}` };
    }
    const waits = `Pod ${name} is waiting for its volume: ${message}. Is there the StorageClass of spec.storage.className, or a default one?`;
    return { reason: 'VolumePending', message: waits };
  }
  // Others may have added containers that end in order before ours start.
  const first = pod.status?.initContainerStatuses?.filter(({ state }) => state?.terminated?.exitCode !== 0) ?? [];
  const containers = [...first, ...(pod.status?.containerStatuses ?? [])];
  return containers.map((container) => containerTrouble(name, container)).find((trouble) => trouble !== undefined);
}

/** Another pod has the place of one that is over, which may stay in the list for days. */
function isOver(pod: Pod): boolean {
  return hasEnded(pod) || pod.metadata.deletionTimestamp !== undefined;
}

/** Epoch milliseconds since which a pod is not ready. */
function unreadySince({ metadata, status }: Pod): number {
  const time = (type: string) => status?.conditions?.find((one) => one.type === type)?.lastTransitionTime;
  // JSON has no dates, whatever the types say.
  return new Date(time('Ready') ?? time('PodScheduled') ?? metadata.creationTimestamp ?? '').getTime();
}

/** Milliseconds. A kubelet removes a pod within seconds of the end of its grace period. */
const REMOVAL_MS = 60_000;

/**
 * Says that the node of a pod does not answer, by the pod: the controller may not read nodes. Kubernetes frees the volumes only when
 * somebody says that the node is gone for good.
 */
function nodeTrouble(pod: Pod, now: number): PodTrouble | undefined {
  const node = pod.spec?.nodeName;
  if (node === undefined || hasEnded(pod) || !(isNodeSilent(pod) || isOverdue(pod, now))) return undefined;
  return {
    reason: 'NodeLost',
    message:
      `Node ${node} of pod ${pod.metadata.name} does not answer: bring it back. If it is gone for good, ` +
      `${taintCommand(node)} frees the volume for another node.`,
  };
}

/** The node lifecycle controller removes `Ready` from the pods of a silent node; a kubelet would remove `ContainersReady` first. */
function isNodeSilent({ spec, status }: Pod): boolean {
  if (status?.reason === 'NodeLost') return true;
  const is = (type: string, value: string) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === value) ?? false;
  const gated = (spec?.readinessGates ?? []).length > 0;
  return is('Ready', 'False') && is('ContainersReady', 'True') && !gated;
}

/** `deletionTimestamp` is when a deleted pod has to be gone. */
function isOverdue({ metadata: { deletionTimestamp } }: Pod, now: number): boolean {
  return deletionTimestamp !== undefined && now - new Date(deletionTimestamp).getTime() > REMOVAL_MS;
}

/** Database or bucket keeps a pod from starting. */
export const STORAGE_REFUSED = 'StorageRefused';

const IMAGE_REASONS = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const CONFIG_REASONS = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

/** By the container runtime's message. */
const PULL_ADVICE: readonly (readonly [words: RegExp, advice: string])[] = [
  [
    /unauthorized|authorization failed|denied|forbidden|\b40[13]\b/i,
    'the registry refuses: check spec.images.pullSecrets',
  ],
  [/not found|manifest unknown|\b404\b/i, 'the registry does not have it: check the name'],
  [
    /no such host|dial tcp|i\/o timeout|connection refused|x509|deadline exceeded/i,
    'the node does not reach the registry: check its name, DNS, proxy and certificate',
  ],
  [/no space left/i, 'the disk of the node is full'],
];
const ANY_ADVICE = 'check the name, and spec.images.pullSecrets for a private registry';

function containerTrouble(pod: string, container: V1ContainerStatus): PodTrouble | undefined {
  const { state, lastState, image } = container;
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (IMAGE_REASONS.has(reason)) {
    const [, advice] = PULL_ADVICE.find(([words]) => words.test(message)) ?? [undefined, ANY_ADVICE];
    return { reason: 'ImagePullFailed', message: `Pod ${pod} cannot pull ${image}: ${advice}.` };
  }
  if (CONFIG_REASONS.has(reason)) {
    return { reason: 'ContainerRefused', message: `Pod ${pod} cannot start: ${message || reason}.` };
  }
  const ended = state?.terminated ?? lastState?.terminated;
  if (!ended || (reason !== 'CrashLoopBackOff' && !state?.terminated)) return undefined;
  const refusal = parseRefusal(ended.message ?? '');
  if (refusal) {
    const reason = refusal.isOfStorage ? STORAGE_REFUSED : 'ConfigurationRefused';
    return { reason, message: `Pod ${pod} does not start: ${refusal.message}` };
  }
  const how = ended.reason === 'OOMKilled' ? 'it ran out of memory' : `exit code ${ended.exitCode}`;
  return {
    reason: ended.reason === 'OOMKilled' ? 'OutOfMemory' : 'Crashing',
    message: `Pod ${pod} keeps ending (${how}): see kubectl logs --previous ${pod}.`,
  };
}

/** The fields of the spec behind the services' variables. */
const FIELDS: Readonly<Record<string, string>> = {
  SVC_DATABASE_URL: 'the address in the Secret of spec.storage.postgres',
  SVC_S3_BUCKET: 'spec.storage.s3.bucket',
  SVC_S3_ENDPOINT: 'spec.storage.s3.endpoint',
  SVC_S3_REGION: 'spec.storage.s3.region',
  SVC_S3_PREFIX: 'spec.storage.s3.prefix',
  SVC_S3_ACCESS_KEY_ID: 'the access key in the Secret of spec.storage.s3',
  SVC_S3_SECRET_ACCESS_KEY: 'the secret key in the Secret of spec.storage.s3',
};

/** Why a service did not start (src/common/service.ts). */
export interface Refusal {
  /** One sentence. */
  message: string;
  isOfStorage: boolean;
}

/** Reads the refusal from the end of a log (`FallbackToLogsOnError`): up to 2 KiB, whose first line may be incomplete. */
export function parseRefusal(log: string): Refusal | undefined {
  const lines = log.trimEnd().split('\n').toReversed();
  for (const line of lines) {
    const refusal = parseMistakes(line) ?? parseDatabaseError(line);
    if (refusal) return refusal;
  }
  return undefined;
}

function parseMistakes(line: string): Refusal | undefined {
  const { mistakes } = parseJson(line);
  if (!Array.isArray(mistakes)) return undefined;
  const told = mistakes.flatMap(({ path, message }) =>
    typeof path === 'string' && typeof message === 'string' ? [{ path, message }] : [],
  );
  if (told.length === 0) return undefined;
  const message = told.map(({ path, message }) => `${FIELDS[path] ?? path} ${message}`).join('; ');
  return { message: `${message}.`, isOfStorage: told.some(({ path }) => path in FIELDS) };
}

/** The line may be incomplete, so it is not parsed as a whole. */
function parseDatabaseError(line: string): Refusal | undefined {
  const [, text = ''] = /"message":"(the database cannot be used: (?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  return text === '' ? undefined : { message: `${parseJson(`{"text":"${text}"}`)['text']}.`, isOfStorage: true };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

type Event = EventsV1Event & KubernetesObject;

const MAX_NOTE = 500;
/** The kubelet's summary, beside events that say why. */
const SUMMARY = /^Unable to attach or mount volumes/;

/** By the reason of an event of the kubelet, the attach-detach controller or the container runtime. */
const TELLING: Readonly<Record<string, (pod: string, note: string) => string>> = {
  FailedAttachVolume: (pod, note) =>
    `The volume of pod ${pod} cannot be attached to its node: ${note} ${attachAdvice(note)}`,
  FailedMount: (pod, note) => `Pod ${pod} cannot mount a volume: ${note} Look at the storage driver of its node.`,
  FailedMapVolume: (pod, note) => `Pod ${pod} cannot map a volume: ${note} Look at the storage driver of its node.`,
  FailedCreatePodSandBox: (pod, note) =>
    `Pod ${pod} cannot get a network: ${note} Look at the network plug-in and the container runtime of its node.`,
};

/** Reads from the newest warning about a pod why its containers cannot be created, which its status does not tell. */
export async function eventTrouble(client: Client, pod: Pod): Promise<PodTrouble | undefined> {
  if (!isBeingPrepared(pod)) return undefined;
  const { namespace, name, uid } = pod.metadata;
  const fieldSelector = `regarding.uid=${uid},type=Warning`;
  const { items } = await client.list<Event>(RESOURCES.event, { namespace, fieldSelector });
  const { reason = '', note = '' } = newestOf(items.filter(({ reason = '' }) => Object.hasOwn(TELLING, reason))) ?? {};
  const message = TELLING[reason]?.(name, asSentence(clip(note.trim(), MAX_NOTE)));
  return message === undefined ? undefined : { reason, message };
}

/**
 * Reads from events why the pods of Deployments are refused now. A Deployment's own condition keeps the first reason, whatever the later
 * ones are. @returns the reasons by the Deployments' names, without those of pods, which change
 */
export async function podRefusals(client: Client, namespace: string): Promise<Map<string, string>> {
  const fieldSelector = 'regarding.kind=ReplicaSet,reason=FailedCreate';
  const { items } = await client.list<Event>(RESOURCES.event, { namespace, fieldSelector });
  const byDeployment = Map.groupBy(items, ({ regarding }) => (regarding?.name ?? '').replace(/-[^-]*$/, ''));
  return new Map(
    [...byDeployment].map(([deployment, events]) => {
      const note = (newestOf(events)?.note ?? '').trim();
      return [deployment, clip(note.replace(/^.*?Error creating: (pods "[^"]*" is forbidden: )?/s, ''), MAX_NOTE)];
    }),
  );
}

function newestOf(events: readonly Event[]): Event | undefined {
  return events.toSorted((one, other) => weight(other) - weight(one))[0];
}

/** It has a node, and no container has been started. */
function isBeingPrepared({ metadata, spec, status }: Pod): boolean {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const begun = statuses.some(({ state }) => state?.running ?? state?.terminated);
  return spec?.nodeName !== undefined && status?.phase === 'Pending' && !metadata.deletionTimestamp && !begun;
}

/** Epoch milliseconds; summaries come last. */
function weight({ note, series, deprecatedLastTimestamp, eventTime, metadata }: Event): number {
  const last = series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? 0;
  // JSON has no dates, whatever the types say.
  const time = new Date(last).getTime();
  return SUMMARY.test(note ?? '') ? time - Number.MAX_SAFE_INTEGER : time;
}

function attachAdvice(note: string): string {
  return /Multi-Attach|already (exclusively )?attached/i.test(note)
    ? `The pod before it has not let it go: if its node is gone for good, ${taintCommand('<node>')}.`
    : 'Look at the storage driver, and at kubectl get volumeattachments.';
}
