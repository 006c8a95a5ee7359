import { createHash } from 'node:crypto';
import { microTime } from './micro-time.ts';
import { RESOURCES } from './resources.ts';
import type { KubernetesObject } from './types.ts';

export interface EventNote {
  type: 'Normal' | 'Warning';
  /** CamelCase word. */
  reason: string;
  /** A sentence; what is longer than 1,024 bytes is cut. */
  note: string;
}

/** Names an object and one version of it (core/v1 `ObjectReference`). */
export interface Reference {
  apiVersion: string;
  kind: string;
  namespace: string | undefined;
  name: string;
  uid: string | undefined;
  resourceVersion: string | undefined;
}

/** The same event about the same object, once or often. Times are epoch milliseconds. */
export interface Series {
  regarding: Reference;
  event: EventNote;
  firstAt: number;
  lastAt: number;
  count: number;
  /** `count` as it was last written, and when. */
  written: number;
  writtenAt: number;
}

const MAX_NOTE_BYTES = 1024;
const MAX_NAME_BYTES = 200;

/** Returns a key that two events share when they are the same. */
export function seriesKey({ uid, namespace, name }: Reference, { type, reason, note }: EventNote): string {
  return JSON.stringify([uid, namespace, name, type, reason, note]);
}

/** Names an object in the version at hand. */
export function referenceTo({ apiVersion, kind, metadata }: KubernetesObject): Reference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

/**
 * The events.k8s.io/v1 `Event` of a series, under a name that is the same for each of its writes. Events about objects
 * without a namespace go into `default`, as everywhere.
 */
export function eventObject(
  { regarding, event, firstAt, lastAt, count }: Series,
  { controller, instance }: { controller: string; instance: string },
): KubernetesObject {
  const { namespace = 'default', name } = regarding;
  const id = createHash('sha256')
    .update(`${seriesKey(regarding, event)} ${firstAt} ${instance}`)
    .digest('hex');
  return {
    apiVersion: RESOURCES.event.apiVersion,
    kind: RESOURCES.event.kind,
    metadata: { namespace, name: `${name.slice(0, MAX_NAME_BYTES)}.${id.slice(0, 16)}` },
    eventTime: microTime(firstAt),
    type: event.type,
    reason: event.reason,
    action: 'Reconcile',
    note: cut(event.note),
    reportingController: controller,
    reportingInstance: instance.slice(0, 128),
    regarding: { ...regarding, namespace },
    ...(count > 1 && { series: { count, lastObservedTime: microTime(lastAt) } }),
  } as KubernetesObject;
}

/** At most 1,024 bytes, whole characters. */
function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= MAX_NOTE_BYTES) return note;
  return `${bytes
    .subarray(0, MAX_NOTE_BYTES - 3)
    .toString('utf8')
    .replace(/\uFFFD$/, '')}…`;
}
