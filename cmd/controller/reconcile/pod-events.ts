import type { EventsV1Event } from '@kubernetes/client-node';
import { clip } from '../../../src/common/truncate.ts';
import { type KubernetesObject, RESOURCES } from '../k8s/api.ts';
import type { Client } from '../k8s/client.ts';

import { type Pod, type PodTrouble, taintCommand } from './pod-trouble.ts';
import { asSentence } from './sentence.ts';

type Event = EventsV1Event & KubernetesObject;

const MAX_NOTE = 500;
/** The kubelet says so beside the events that say why. */
const SUMMARY = /^Unable to attach or mount volumes/;

/** Sentences by the reason of an event of the kubelet, the attach-detach controller or the container runtime. */
const TELLING: Readonly<Record<string, (pod: string, note: string) => string>> = {
  FailedAttachVolume: (pod, note) =>
    `The volume of pod ${pod} cannot be attached to its node: ${note} ${attachAdvice(note)}`,
  FailedMount: (pod, note) => `Pod ${pod} cannot mount a volume: ${note} Look at the storage driver of its node.`,
  FailedMapVolume: (pod, note) => `Pod ${pod} cannot map a volume: ${note} Look at the storage driver of its node.`,
  FailedCreatePodSandBox: (pod, note) =>
    `Pod ${pod} cannot get a network: ${note} Look at the network plug-in and the container runtime of its node.`,
};

/** Reads from the newest warning about a pod why its containers cannot even be made; its status does not tell that. */
export async function eventTrouble(client: Client, pod: Pod): Promise<PodTrouble | undefined> {
  if (!isBeingPrepared(pod)) return undefined;
  const { namespace, name, uid } = pod.metadata;
  const fieldSelector = `regarding.uid=${uid},type=Warning`;
  const { items } = await client.list<Event>(RESOURCES.event, { namespace, fieldSelector, limit: 100 });
  const telling = items.filter(({ reason = '' }) => Object.hasOwn(TELLING, reason));
  const [newest] = telling.toSorted((one, other) => weight(other) - weight(one));
  const { reason = '', note = '' } = newest ?? {};
  const message = TELLING[reason]?.(name, asSentence(clip(note.trim(), MAX_NOTE)));
  return message === undefined ? undefined : { reason, message };
}

/** A node was found for it, and nothing of it has been started. */
function isBeingPrepared({ metadata, spec, status }: Pod): boolean {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const begun = statuses.some(({ state }) => state?.running ?? state?.terminated);
  return spec?.nodeName !== undefined && status?.phase === 'Pending' && !metadata.deletionTimestamp && !begun;
}

/** Epoch milliseconds; a summary counts for less than whatever else is there. */
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
