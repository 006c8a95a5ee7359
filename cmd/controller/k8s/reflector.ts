import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { startDeadline, unlessAborted } from '../../../src/common/net/deadline.ts';
import { pause } from '../../../src/common/pause.ts';
import { ApiError, refusalOfEvent, UnreachableError } from './api-error.ts';
import { type Change, createKnown, keyOf } from './known.ts';
import type { Client, KubernetesObject, Resource, Selection, WatchEvent } from './types.ts';
import { isAbsent, isBusy, isConnectionLost, isExpired, isForbidden, waitAfter } from './watch-failure.ts';

export type { Change } from './known.ts';

/** Milliseconds. */
export interface ReflectTimings {
  /** A watch lasts between these two; the server ends it. */
  watchMs: readonly [number, number];
  /** A watch that is open for that much longer is dead. */
  overdueMs: number;
  /** First and longest wait after a failure. */
  backoffMs: readonly [number, number];
  /** A list between these two, whatever the watch says. */
  relistMs: readonly [number, number];
  /** Until a kind that the API server does not have is looked for again. */
  absentMs: number;
}

export interface ReflectOptions<T extends KubernetesObject> {
  client: Client;
  resource: Resource;
  selection?: Selection;
  /** Told in order, once for each version that was seen. `managedFields` are taken off. What it throws is logged. */
  onEvent(change: Change<T>): void;
  /** Called after each complete list, once all changes that follow from it have been reported. */
  onSync?(): void;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  timings?: Partial<ReflectTimings>;
}

export interface Reflection {
  readonly resource: Resource;
  /** Absent: all. */
  readonly namespace: string | undefined;
  /** Resolves after the first complete list (or when the API server does not have the kind); never after a stop. */
  readonly synced: Promise<void>;
  /** Resolves as soon as it is `synced`, or has been forbidden several times in a row, with whether it is the latter. */
  readonly forbidden: Promise<boolean>;
  /**
   * Epoch milliseconds of the last sign of life: a list, an event, a bookmark, a watch opened or ended in order, or that
   * the API server has refused, as where a namespace or a role is gone.
   */
  lastContact(): number;
  /** What has failed several times in a row, and where; undefined once it works again. */
  trouble(): string | undefined;
  /** Whether the API server did not have the kind when it was last asked. */
  absent(): boolean;
  /** Leaves the connection there is and watches on, from the last version seen, over a new one, at once. */
  restart(): void;
  stop(): void;
}

const DEFAULT_TIMINGS: ReflectTimings = {
  watchMs: [45_000, 55_000],
  overdueMs: 5_000,
  backoffMs: [200, 5_000],
  relistMs: [540_000, 660_000],
  absentMs: 60_000,
};
const PAGE = 100;
/** A watch that ends sooner without a word has not worked. */
const SHORT_MS = 1_000;
/** An API server that starts may not know a kind yet: one that was there is believed gone only when it stays so. */
const ABSENT_TRIES = 4;
/** Failures in a row that are worth a line. */
const TELLING = 3;

/**
 * Mirrors a kind: lists it, watches on from there, and does so until it is stopped, whatever happens. Nothing is
 * missed: what changed while no watch was open comes with the next watch or list.
 */
export function reflect<T extends KubernetesObject>(options: ReflectOptions<T>): Reflection {
  const { client, resource, selection = {}, clock, log } = options;
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  const known = createKnown<T>(resource);
  const synced = Promise.withResolvers<void>();
  const forbidden = Promise.withResolvers<boolean>();
  /** From one restart to the next. */
  let turn = new AbortController();
  let stopped = false;
  let contact = clock();
  /** The resourceVersion to watch from; undefined when only a list can tell. */
  let position: string | undefined;
  let relistAt = 0;
  let failures = 0;
  let trouble: string | undefined;
  let absent = false;

  /** Whatever a handler does, also one that is async, it ends nothing. */
  async function guarded(handler: (() => void) | undefined): Promise<void> {
    try {
      await handler?.();
    } catch (error) {
      log.error({ err: error, kind: resource.kind }, 'a handler of changes failed');
    }
  }

  function tell(changes: readonly Change<T>[]): void {
    contact = clock();
    for (const change of changes) {
      if (stopped) return;
      delete change.object.metadata.managedFields;
      void guarded(() => options.onEvent(change));
    }
  }

  function complete(keys: ReadonlySet<string>): void {
    tell(known.retain(keys));
    if (stopped) return;
    void guarded(options.onSync);
    synced.resolve();
    forbidden.resolve(false);
  }

  async function list(signal: AbortSignal): Promise<void> {
    const keys = new Set<string>();
    let next: string | undefined;
    let version: string;
    do {
      const page = await unlessAborted(client.list<T>(resource, { ...selection, limit: PAGE, continue: next }), signal);
      for (const object of page.items) {
        keys.add(keyOf(object));
        tell(known.present(object));
      }
      next = page.metadata.continue || undefined;
      version = page.metadata.resourceVersion;
    } while (next !== undefined);
    if (absent) log.info({ kind: resource.kind }, 'the API server has this kind now');
    absent = false;
    complete(keys);
    position = version;
    relistAt = performance.now() + between(timings.relistMs);
  }

  /** Resolves when the server has ended the watch in order. */
  async function watch(from: string, turnSignal: AbortSignal): Promise<void> {
    const timeoutSeconds = Math.ceil(between(timings.watchMs) / 1000);
    const dead = (): Error => new Error('the watch did not end when it should have');
    const { signal, end } = startDeadline(timeoutSeconds * 1000 + timings.overdueMs, dead, turnSignal);
    let opened = Number.POSITIVE_INFINITY;
    const onOpen = (): void => {
      opened = performance.now();
      tell([]);
    };
    try {
      const watching = { ...selection, resourceVersion: from, timeoutSeconds, signal, onOpen };
      for await (const event of client.watch<T>(resource, watching)) {
        position = take(event);
        works();
      }
      const short = position === from && performance.now() - opened < SHORT_MS;
      if (short) throw new UnreachableError(`watch ${resource.plural}`, 'ECONNRESET', 'ended at once');
      tell([]);
    } finally {
      end();
      if (performance.now() - opened >= SHORT_MS) works();
    }
  }

  /** @returns the version that it brings us to */
  function take({ type, object }: WatchEvent<T>): string {
    if (type === 'ERROR') throw refusalOfEvent(`watch ${resource.plural}`, object);
    const version = object.metadata?.resourceVersion;
    if (!version) throw new Error('a watch event without a version');
    if (type === 'BOOKMARK') tell([]);
    else if (type === 'DELETED') tell(known.gone(object));
    else if (type === 'ADDED' || type === 'MODIFIED') tell(known.present(object));
    else throw new Error('a watch event of an unknown type');
    return version;
  }

  function works(): void {
    if (failures >= TELLING) log.info({ kind: resource.kind }, 'watching again');
    failures = 0;
    trouble = undefined;
  }

  /** What to do about a failure. @returns milliseconds until the next try */
  function afterFailure(error: unknown): number {
    failures += 1;
    if (error instanceof ApiError) contact = clock();
    if (isAbsent(error) && (known.size === 0 || failures >= ABSENT_TRIES)) {
      if (!absent && relistAt > 0) log.warn({ kind: resource.kind }, 'the API server does not have this kind any more');
      absent = true;
      position = undefined;
      failures = 0;
      complete(new Set());
      return timings.absentMs * (0.9 + 0.2 * Math.random());
    }
    // Nothing is wrong with the position when a connection breaks; in any other case a list is the safe answer.
    if (!isConnectionLost(error) && !isBusy(error)) position = undefined;
    if (isExpired(error) && failures === 1) return 0;
    if (failures >= TELLING) trouble = (error as Error).message;
    if (failures >= TELLING && isForbidden(error)) forbidden.resolve(true);
    if (failures === TELLING) log.warn({ err: error, kind: resource.kind }, 'cannot watch, retrying');
    return waitAfter(error, failures, timings.backoffMs);
  }

  async function run(): Promise<void> {
    while (!stopped) {
      const { signal } = turn;
      try {
        if (position === undefined || performance.now() >= relistAt) await list(signal);
        if (position !== undefined && !stopped) await watch(position, signal);
      } catch (error) {
        if (signal.aborted) failures = 0;
        else await pause(afterFailure(error), signal);
      }
    }
  }

  void run();
  return {
    resource,
    namespace: selection.namespace,
    synced: synced.promise,
    forbidden: forbidden.promise,
    lastContact: () => contact,
    trouble: () => trouble,
    absent: () => absent,
    restart() {
      turn.abort();
      turn = new AbortController();
    },
    stop() {
      stopped = true;
      turn.abort();
    },
  };
}

function between([low, high]: readonly [number, number]): number {
  return low + (high - low) * Math.random();
}
