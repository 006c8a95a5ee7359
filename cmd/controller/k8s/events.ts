import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { pause } from '../../../src/common/pause.ts';
import { ApiError } from './api-error.ts';
import { type EventNote, eventObject, referenceTo, type Series, seriesKey } from './event-object.ts';
import { RESOURCES } from './resources.ts';
import type { Client, KubernetesObject } from './types.ts';

export type { EventNote } from './event-object.ts';

export interface RecorderOptions {
  client: Client;
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

export interface Recorder {
  /**
   * Never throws and never waits. A warning that comes again becomes a series, written at most every 5 minutes; anything
   * else that comes again within that time is no news.
   */
  record(regarding: KubernetesObject, event: EventNote): void;
  /** Events that are not written yet. */
  waiting(): number;
  /** Resolves when all that waits is written or given up. */
  flushed(): Promise<void>;
  stop(): void;
}

const REPEAT_MS = 5 * 60_000;
const RETRY_MS = 1_000;
const TRIES = 5;
/** Series that are remembered; the one that was quiet the longest goes first. */
const MAX_SERIES = 500;

/** Writes events.k8s.io/v1 Events about objects, in the order in which they came, one request at a time. */
export function eventRecorder(options: RecorderOptions): Recorder {
  const { client, clock, log, repeatMs = REPEAT_MS, retryMs = RETRY_MS } = options;
  const all = new Map<string, Series>();
  const waiting = new Set<Series>();
  const stopping = new AbortController();
  let writing: Promise<void> | undefined;

  function enqueue(series: Series): void {
    waiting.add(series);
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
  }

  async function writeAll(): Promise<void> {
    for (const series of waiting) {
      if (stopping.signal.aborted) return;
      waiting.delete(series);
      series.writtenAt = clock();
      series.written = series.count;
      await write(series);
    }
  }

  async function write(series: Series): Promise<void> {
    for (let attempt = 1; !stopping.signal.aborted; attempt += 1) {
      try {
        await client.apply(RESOURCES.event, eventObject(series, options), { manager: options.controller });
        return;
      } catch (error) {
        const refused = error instanceof ApiError ? error : undefined;
        // 403: the namespace is being deleted; 422: not in a form that this API server takes. Neither gets better.
        const hopeless = refused && refused.status < 500 && refused.status !== 429;
        if (hopeless || attempt === TRIES) {
          if (!stopping.signal.aborted)
            log.warn({ err: error, reason: series.event.reason }, 'an event could not be recorded');
          return;
        }
        const wait = retryMs * 2 ** (attempt - 1) * (0.5 + 0.5 * Math.random());
        await pause(Math.max(wait, Math.min(refused?.retryAfter ?? 0, 30) * 1000), stopping.signal);
      }
    }
  }

  /** Writes the series that were repeated since, and forgets those that were not. */
  const sweep = setInterval(() => {
    for (const [key, series] of all) {
      if (clock() - series.writtenAt < repeatMs || waiting.has(series)) continue;
      if (series.count > series.written) enqueue(series);
      else all.delete(key);
    }
  }, repeatMs / 10).unref();

  return {
    record(object, event) {
      if (stopping.signal.aborted) return;
      // Not the object itself: it would be kept as long as the series.
      const regarding = referenceTo(object);
      const key = seriesKey(regarding, event);
      const now = clock();
      const series = all.get(key);
      if (series) {
        if (event.type === 'Warning') series.count += 1;
        series.lastAt = now;
        all.delete(key);
        all.set(key, series);
        return;
      }
      const oldest = all.size >= MAX_SERIES ? all.entries().next().value : undefined;
      if (oldest) {
        all.delete(oldest[0]);
        waiting.delete(oldest[1]);
      }
      const fresh = { regarding, event, firstAt: now, lastAt: now, count: 1, written: 0, writtenAt: now };
      all.set(key, fresh);
      enqueue(fresh);
    },
    waiting: () => waiting.size + (writing ? 1 : 0),
    async flushed() {
      while (writing) await writing;
    },
    stop() {
      clearInterval(sweep);
      stopping.abort();
    },
  };
}
