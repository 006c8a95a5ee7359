import { randomBytes } from 'node:crypto';
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
  /** A sentence, cut to 1,024 bytes. */
  note: string;
}

export interface RecorderOptions {
  client: Pick<Client, 'apply'>;
  /** `reportingController`, such as `svc.internal/controller`; also the field manager. */
  controller: string;
  /** `reportingInstance`: the pod. */
  instance: string;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  /** First wait after a write that failed, doubled each time. */
  retryMs?: number;
}

/** Milliseconds in which an event about an object is not repeated. */
const REPEAT_MS = 5 * 60_000;
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 16_000;
const TRIES = 5;
/** Most events that are remembered, or wait. */
const MOST = 500;
const MAX_NOTE_BYTES = 1024;

/** Writes events.k8s.io/v1 Events in order, one request at a time. */
export class EventRecorder {
  readonly #options: RecorderOptions;
  /** The time of each event that was recorded lately, the oldest first. */
  readonly #recorded = new Map<string, number>();
  readonly #waiting: KubernetesObject[] = [];
  readonly #stopping = new AbortController();
  #writing: Promise<void> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Records an event about an object, at most once in five minutes. Never throws and never waits. */
  record(object: KubernetesObject, event: EventNote): void {
    if (this.#stopping.signal.aborted) return;
    const { uid, namespace, name } = object.metadata;
    const key = JSON.stringify([uid, namespace, name, event.type, event.reason, event.note]);
    const now = this.#options.clock();
    for (const [old, at] of this.#recorded) {
      if (now - at < REPEAT_MS && this.#recorded.size < MOST) break;
      this.#recorded.delete(old);
    }
    if (this.#recorded.has(key)) return;
    this.#recorded.set(key, now);
    this.#waiting.push(this.#toEvent(object, event, now));
    if (this.#waiting.length > MOST) this.#waiting.shift();
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Returns how many events are not written yet. */
  waiting(): number {
    return this.#waiting.length + (this.#writing ? 1 : 0);
  }

  /** Resolves when all events are written or given up. */
  async flushed(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #writeAll(): Promise<void> {
    for (let event = this.#waiting.shift(); event; event = this.#waiting.shift()) await this.#write(event);
  }

  async #write(event: KubernetesObject): Promise<void> {
    const { client, controller, log, retryMs = RETRY_MS } = this.#options;
    const { signal } = this.#stopping;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await client.apply(RESOURCES.event, event, { manager: controller });
        return;
      } catch (error) {
        // 403: the namespace is being deleted.
        const hopeless = error instanceof ApiError && error.status < 500 && error.status !== 429;
        if (hopeless || attempt === TRIES) {
          const { reason } = event as KubernetesObject & { reason?: string };
          if (!signal.aborted) log.warn({ err: error, reason }, 'an event could not be recorded');
          return;
        }
        await pause(backoffMs(error, attempt, [retryMs, LONGEST_RETRY_MS]), signal);
      }
    }
  }

  #toEvent(object: KubernetesObject, { type, reason, note }: EventNote, now: number): KubernetesObject {
    const { controller, instance } = this.#options;
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const regarding = { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid, resourceVersion };
    const { apiVersion, kind } = RESOURCES.event;
    return {
      ...{ apiVersion, kind, metadata: { namespace, name: `${name}.${randomBytes(8).toString('hex')}` } },
      ...{ eventTime: microTime(now), type, reason, action: 'Reconcile', note: cut(note), regarding },
      ...{ reportingController: controller, reportingInstance: instance.slice(0, 128) },
    } as KubernetesObject;
  }
}

function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= MAX_NOTE_BYTES) return note;
  const start = bytes.subarray(0, MAX_NOTE_BYTES - 3).toString('utf8');
  return `${start.replace(/\uFFFD$/, '')}…`;
}
