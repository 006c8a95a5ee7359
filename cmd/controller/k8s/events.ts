import { randomBytes } from 'node:crypto';
import type { V1ObjectReference } from '@kubernetes/client-node';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { pause } from '../../../src/common/pause.ts';
import { type KubernetesObject, microTime, RESOURCES } from './api.ts';
import { ApiError, backoffMs } from './api-error.ts';
import type { Client } from './client.ts';

export interface EventNote {
  type: 'Normal' | 'Warning';
  /** CamelCase word. */
  reason: string;
  /** A sentence; what is longer than 1,024 bytes is cut. */
  note: string;
}

/** The same event about the same object, once or often. Times are epoch milliseconds. */
interface Series {
  /** Part of the Event's name, which is the same for each write. */
  id: string;
  regarding: V1ObjectReference;
  event: EventNote;
  firstAt: number;
  lastAt: number;
  count: number;
  /** `count` as it was last written, and when. */
  written: number;
  writtenAt: number;
}

const MAX_NOTE_BYTES = 1024;

export interface RecorderOptions {
  client: Pick<Client, 'apply'>;
  /** `reportingController`, such as `svc.internal/controller`; also the field manager. */
  controller: string;
  /** `reportingInstance`: the pod. */
  instance: string;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  /** Milliseconds from write to write of the same series. Default 5 minutes. */
  repeatMs?: number;
  /** Milliseconds before a write that failed is tried again, doubled each time. Default 1 s. */
  retryMs?: number;
}

const REPEAT_MS = 5 * 60_000;
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 16_000;
const TRIES = 5;
/** Series that are remembered; the one that was quiet the longest goes first. */
const MAX_SERIES = 500;

/** Writes events.k8s.io/v1 Events about objects, in the order in which they came, one request at a time. */
export class EventRecorder {
  readonly #options: RecorderOptions;
  readonly #repeatMs: number;
  readonly #series = new Map<string, Series>();
  readonly #waiting = new Set<Series>();
  readonly #stopping = new AbortController();
  readonly #sweep: NodeJS.Timeout;
  #writing: Promise<void> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#repeatMs = options.repeatMs ?? REPEAT_MS;
    this.#sweep = setInterval(() => this.#sweepSeries(), this.#repeatMs / 10).unref();
  }

  /**
   * Records an event about an object. Never throws and never waits. A warning that comes again becomes a series, written at
   * most every 5 minutes; anything else that comes again within that time is no news.
   */
  record(object: KubernetesObject, event: EventNote): void {
    if (this.#stopping.signal.aborted) return;
    const { apiVersion, kind, metadata } = object;
    const { namespace = 'default', name, uid, resourceVersion } = metadata;
    // Not the object itself: it would be kept as long as the series.
    const regarding = {
      apiVersion,
      kind,
      namespace,
      name,
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
    };
    const key = JSON.stringify([uid, namespace, name, event.type, event.reason, event.note]);
    const now = this.#options.clock();
    const series = this.#series.get(key);
    if (series) {
      if (event.type === 'Warning') series.count += 1;
      series.lastAt = now;
      this.#series.delete(key);
      this.#series.set(key, series);
      return;
    }
    const oldest = this.#series.size >= MAX_SERIES ? this.#series.entries().next().value : undefined;
    if (oldest) {
      this.#series.delete(oldest[0]);
      this.#waiting.delete(oldest[1]);
    }
    const id = randomBytes(8).toString('hex');
    const fresh = { id, regarding, event, firstAt: now, lastAt: now, count: 1, written: 0, writtenAt: now };
    this.#series.set(key, fresh);
    this.#enqueue(fresh);
  }

  /** Returns how many events are not written yet. */
  waiting(): number {
    return this.#waiting.size + (this.#writing ? 1 : 0);
  }

  /** Resolves when all that waits is written or given up. */
  async flushed(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  stop(): void {
    clearInterval(this.#sweep);
    this.#stopping.abort();
  }

  /** Writes the series that were repeated since, and forgets those that were not. */
  #sweepSeries(): void {
    for (const [key, series] of this.#series) {
      if (this.#options.clock() - series.writtenAt < this.#repeatMs || this.#waiting.has(series)) continue;
      if (series.count > series.written) this.#enqueue(series);
      else this.#series.delete(key);
    }
  }

  #enqueue(series: Series): void {
    this.#waiting.add(series);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    for (const series of this.#waiting) {
      if (this.#stopping.signal.aborted) return;
      this.#waiting.delete(series);
      series.writtenAt = this.#options.clock();
      series.written = series.count;
      await this.#write(series);
    }
  }

  async #write(series: Series): Promise<void> {
    const { client, controller, log, retryMs = RETRY_MS } = this.#options;
    const { signal } = this.#stopping;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await client.apply(RESOURCES.event, this.#toEvent(series), { manager: controller });
        return;
      } catch (error) {
        // 403: the namespace is being deleted; 422: not in a form that this API server takes. Neither gets better.
        const hopeless = error instanceof ApiError && error.status < 500 && error.status !== 429;
        if (hopeless || attempt === TRIES) {
          if (!signal.aborted) log.warn({ err: error, reason: series.event.reason }, 'an event could not be recorded');
          return;
        }
        await pause(backoffMs(error, attempt, [retryMs, LONGEST_RETRY_MS]), signal);
      }
    }
  }

  /** The events.k8s.io/v1 `Event` of a series. Events about objects without a namespace go into `default`, as everywhere. */
  #toEvent({ id, regarding, event, firstAt, lastAt, count }: Series): KubernetesObject {
    const { controller, instance } = this.#options;
    const { namespace = '', name = '' } = regarding;
    const { apiVersion, kind } = RESOURCES.event;
    return {
      ...{ apiVersion, kind, metadata: { namespace, name: `${name}.${id}` } },
      ...{ eventTime: microTime(firstAt), type: event.type, reason: event.reason, action: 'Reconcile' },
      ...{ note: cut(event.note), regarding },
      ...{ reportingController: controller, reportingInstance: instance.slice(0, 128) },
      ...(count > 1 && { series: { count, lastObservedTime: microTime(lastAt) } }),
    } as KubernetesObject;
  }
}

/** At most 1,024 bytes, whole characters. */
function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= MAX_NOTE_BYTES) return note;
  const start = bytes.subarray(0, MAX_NOTE_BYTES - 3).toString('utf8');
  return `${start.replace(/\uFFFD$/, '')}…`;
}
