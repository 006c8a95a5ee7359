import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { unlessAborted } from '../../../src/common/net/deadline.ts';
import { pause } from '../../../src/common/pause.ts';
import { getKey, type KubernetesObject, type Resource, splitKey } from './api.ts';
import { ApiError, backoffMs, hasStatus, isConnectionLost, parseErrorEvent, UnreachableError } from './api-error.ts';
import type { Client, Selection, WatchEvent } from './client.ts';

/** A change of an object. Of a deleted one that a list no longer has, only kind, namespace, name, uid and version are known. */
export interface Change<T extends KubernetesObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: T;
}

/** The version of each object that was seen last; turns lists and watch events into changes. */
class KnownVersions<T extends KubernetesObject> {
  readonly #resource: Resource;
  readonly #versions = new Map<string, { uid: string; resourceVersion: string }>();

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  get size(): number {
    return this.#versions.size;
  }

  /** Returns no change for a version that was seen, and two for an object that took the name of another. */
  update(object: T): Change<T>[] {
    const key = getKey(object);
    const { uid = '', resourceVersion = '' } = object.metadata;
    const before = this.#versions.get(key);
    if (before?.uid === uid && before.resourceVersion === resourceVersion) return [];
    const replaced = before && before.uid !== uid ? [this.#forget(key)] : [];
    this.#versions.set(key, { uid, resourceVersion });
    return [...replaced, { type: before?.uid === uid ? 'MODIFIED' : 'ADDED', object }];
  }

  remove(object: T): Change<T>[] {
    const key = getKey(object);
    if (this.#versions.get(key)?.uid !== object.metadata.uid) return [];
    this.#versions.delete(key);
    return [{ type: 'DELETED', object }];
  }

  /** Forgets the objects that are not in a complete list of keys. */
  retain(keys: ReadonlySet<string>): Change<T>[] {
    return [...this.#versions.keys()].filter((key) => !keys.has(key)).map((key) => this.#forget(key));
  }

  #forget(key: string): Change<T> {
    const { apiVersion, kind } = this.#resource;
    const [namespace, name] = splitKey(key);
    const metadata = { ...(namespace !== '' && { namespace }), name, ...this.#versions.get(key) };
    this.#versions.delete(key);
    return { type: 'DELETED', object: { apiVersion, kind, metadata } as T };
  }
}

/** Milliseconds. */
export interface ReflectorTimings {
  /** First and longest wait after a failure. */
  backoffMs: readonly [number, number];
  /** Shortest and longest time until the next full list. */
  relistMs: readonly [number, number];
  /** Until a kind that the API server does not have is looked for again. */
  absentMs: number;
}

export interface ReflectorOptions<T extends KubernetesObject> {
  client: Client;
  resource: Resource;
  selection?: Selection;
  /** Called in order, once for each version that was seen, without `managedFields`. What it throws is logged. */
  onEvent(change: Change<T>): void;
  /** Called after each complete list and the changes that follow from it. */
  onSync?(): void;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  timings?: Partial<ReflectorTimings>;
}

const DEFAULT_TIMINGS: ReflectorTimings = {
  backoffMs: [200, 5_000],
  relistMs: [4 * 3_600_000, 6 * 3_600_000],
  absentMs: 60_000,
};
const PAGE_SIZE = 100;
/** A watch that ends sooner without an event counts as failed. */
const SHORT_MS = 1_000;
/** An API server that starts may not know a kind yet: a known one counts as gone after so many failures. */
const ABSENT_FAILURES = 4;
/** Failures in a row after which a line is logged. */
const LOGGED_FAILURES = 3;

/**
 * Lists a kind and watches from there, whatever happens, until it is stopped. Changes that no watch showed come with the next watch
 * or list. The library's informer stops for good after any error but 410.
 */
export class Reflector<T extends KubernetesObject = KubernetesObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #timings: ReflectorTimings;
  readonly #known: KnownVersions<T>;
  readonly #synced = Promise.withResolvers<void>();
  readonly #forbidden = Promise.withResolvers<boolean>();
  /** Resolves after the first complete list, or when the API server does not have the kind. */
  readonly synced = this.#synced.promise;
  /** Resolves with false when it is `synced`, with true when it was forbidden several times in a row. */
  readonly forbidden = this.#forbidden.promise;
  /** Aborted by the next restart. */
  #turn = new AbortController();
  #stopped = false;
  #contact: number;
  /** The resourceVersion to watch from; undefined: a list is needed. */
  #position: string | undefined;
  #relistAt = 0;
  #failures = 0;
  #trouble: string | undefined;
  #absent = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#timings = { ...DEFAULT_TIMINGS, ...options.timings };
    this.#known = new KnownVersions(options.resource);
    this.#contact = options.clock();
    void this.#run();
  }

  get resource(): Resource {
    return this.#options.resource;
  }

  get namespace(): string | undefined {
    return this.#options.selection?.namespace;
  }

  /** Epoch milliseconds of the last list, event, bookmark, regular end of a watch, or refusal. */
  lastContact(): number {
    return this.#contact;
  }

  /** The error that has come several times in a row; undefined once it works again. */
  trouble(): string | undefined {
    return this.#trouble;
  }

  /** Returns whether the API server does not have the kind. */
  absent(): boolean {
    return this.#absent;
  }

  /** Begins another watch at once, from the last version seen. */
  restart(): void {
    this.#turn.abort();
    this.#turn = new AbortController();
  }

  stop(): void {
    this.#stopped = true;
    this.#turn.abort();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const { signal } = this.#turn;
      try {
        if (this.#position === undefined || performance.now() >= this.#relistAt) await this.#list(signal);
        if (this.#position !== undefined && !this.#stopped) await this.#watch(this.#position, signal);
      } catch (error) {
        if (signal.aborted) this.#failures = 0;
        else await pause(this.#onFailure(error), signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, resource, selection, log } = this.#options;
    const keys = new Set<string>();
    let next: string | undefined;
    let version: string;
    do {
      const page = client.list<T>(resource, { ...selection, limit: PAGE_SIZE, continue: next });
      const { items, metadata } = await unlessAborted(page, signal);
      for (const object of items) {
        keys.add(getKey(object));
        this.#report(this.#known.update(object));
      }
      next = metadata.continue || undefined;
      version = metadata.resourceVersion;
    } while (next !== undefined);
    if (this.#absent) log.info({ kind: resource.kind }, 'the API server has this kind now');
    this.#absent = false;
    this.#complete(keys);
    this.#position = version;
    this.#relistAt = performance.now() + randomBetween(this.#timings.relistMs);
  }

  async #watch(from: string, signal: AbortSignal): Promise<void> {
    const { client, resource, selection } = this.#options;
    const started = performance.now();
    await client.watch<T>(resource, { ...selection, resourceVersion: from, signal }, (event) => {
      if (signal.aborted) return;
      this.#position = this.#accept(event);
      this.#onSuccess();
    });
    const short = this.#position === from && performance.now() - started < SHORT_MS;
    if (short) throw new UnreachableError(`watch ${resource.plural}`, 'ECONNRESET', 'ended at once');
    this.#report([]);
    this.#onSuccess();
  }

  /** Returns the version that an event leads to. */
  #accept({ type, object }: WatchEvent<T>): string {
    if (type === 'ERROR') throw parseErrorEvent(`watch ${this.resource.plural}`, object);
    const version = object.metadata?.resourceVersion;
    if (!version) throw new Error('a watch event without a version');
    if (type === 'BOOKMARK') this.#report([]);
    else if (type === 'DELETED') this.#report(this.#known.remove(object));
    else if (type === 'ADDED' || type === 'MODIFIED') this.#report(this.#known.update(object));
    else throw new Error('a watch event of an unknown type');
    return version;
  }

  #report(changes: readonly Change<T>[]): void {
    this.#contact = this.#options.clock();
    for (const change of changes) {
      if (this.#stopped) return;
      delete change.object.metadata.managedFields;
      this.#guard(() => this.#options.onEvent(change));
    }
  }

  #complete(keys: ReadonlySet<string>): void {
    this.#report(this.#known.retain(keys));
    if (this.#stopped) return;
    this.#guard(() => this.#options.onSync?.());
    this.#synced.resolve();
    this.#forbidden.resolve(false);
  }

  #guard(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#options.log.error({ err: error, kind: this.resource.kind }, 'a handler of changes failed');
    }
  }

  #onSuccess(): void {
    if (this.#failures >= LOGGED_FAILURES) this.#options.log.info({ kind: this.resource.kind }, 'watching again');
    this.#failures = 0;
    this.#trouble = undefined;
  }

  /** Returns milliseconds until the next try. */
  #onFailure(error: unknown): number {
    const { kind } = this.resource;
    this.#failures += 1;
    if (error instanceof ApiError) this.#contact = this.#options.clock();
    if (hasStatus(error, 404) && (this.#known.size === 0 || this.#failures >= ABSENT_FAILURES)) return this.#onAbsent();
    // The position is still good where a connection broke; otherwise a list is the safe answer.
    if (!isConnectionLost(error) && !hasStatus(error, 429, 503)) this.#position = undefined;
    if (hasStatus(error, 410) && this.#failures === 1) return 0;
    if (this.#failures >= LOGGED_FAILURES) {
      this.#trouble = (error as Error).message;
      if (hasStatus(error, 403)) this.#forbidden.resolve(true);
    }
    if (this.#failures === LOGGED_FAILURES) this.#options.log.warn({ err: error, kind }, 'cannot watch, retrying');
    return backoffMs(error, this.#failures, this.#timings.backoffMs);
  }

  #onAbsent(): number {
    if (!this.#absent && this.#relistAt > 0) {
      this.#options.log.warn({ kind: this.resource.kind }, 'the API server does not have this kind any more');
    }
    this.#absent = true;
    this.#position = undefined;
    this.#failures = 0;
    this.#complete(new Set());
    return this.#timings.absentMs * (0.9 + 0.2 * Math.random());
  }
}

function randomBetween([low, high]: readonly [number, number]): number {
  return low + (high - low) * Math.random();
}
