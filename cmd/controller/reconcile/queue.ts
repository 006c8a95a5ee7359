import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { backoffMs } from '../k8s/api-error.ts';

/** Node's timers wait 25 days at most. */
const LONGEST_TIMER_MS = 86_400_000;
/** Then one of low priority has its turn, also while others are added faster than they are reconciled. */
const MOST_PREFERRED = 8;

export interface QueueOptions {
  /**
   * Reconciles a key. Rejects: it is tried again, later each time.
   * @param signal aborts after `timeoutMs`, and when the queue is stopped
   * @param failures in a row, before this one
   * @returns milliseconds until the next time without a change
   */
  reconcile: (key: string, signal: AbortSignal, failures: number) => Promise<number | undefined>;
  /** Keys at a time. */
  parallel?: number;
  timeoutMs?: number;
  /** First and longest wait after a failure. */
  backoff?: { minMs: number; maxMs: number };
  random?: () => number;
  log: Pick<Logger, 'warn'>;
}

/** A work queue of keys, each of which is reconciled once at a time. */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #parallel: number;
  readonly #waiting = new Set<string>();
  readonly #lowPriority = new Set<string>();
  /** Keys that have gone before those of low priority, one after the other. */
  #preferred = 0;
  readonly #running = new Map<string, number>();
  /** Keys that were added while they ran. */
  readonly #again = new Set<string>();
  readonly #timers = new Map<string, { timer: NodeJS.Timeout; at: number }>();
  readonly #failures = new Map<string, number>();
  readonly #stopping = new AbortController();
  #done = 0;
  #failed = 0;
  #started = false;
  #onIdle: (() => void) | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#parallel = options.parallel ?? 4;
  }

  /**
   * Adds a key; one that runs is run again afterwards. Before the start, the key that was added last comes first: another controller
   * has dealt with most of those before.
   */
  add(key: string): void {
    this.#cancel(key);
    this.#lowPriority.delete(key);
    if (!this.#started) this.#waiting.delete(key);
    if (this.#running.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#pump();
  }

  /** Adds a key after some milliseconds, unless its time comes sooner. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) this.add(key);
    else this.#schedule(key, ms, () => this.add(key));
  }

  /** Adds a key that nothing is known to have changed: those that have come first. */
  addWithLowPriority(key: string): void {
    if (this.#running.has(key) || this.#waiting.has(key)) return;
    this.#cancel(key);
    this.#lowPriority.add(key);
    this.#pump();
  }

  /** Nothing runs before. Keys that were added so far have low priority. */
  start(): void {
    const unchanged = [...this.#lowPriority];
    this.#lowPriority.clear();
    for (const key of [...[...this.#waiting].reverse(), ...unchanged]) this.#lowPriority.add(key);
    this.#waiting.clear();
    this.#started = true;
    this.#pump();
  }

  /** Starts nothing more and aborts what runs; resolves when that has ended. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#stopping.abort();
    for (const key of [...this.#timers.keys()]) this.#cancel(key);
    while (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
  }

  figures() {
    return {
      waiting: this.#waiting.size + this.#lowPriority.size,
      running: this.#running.size,
      /** Milliseconds for which the oldest run has been going on. */
      longestMs: Math.max(0, ...[...this.#running.values()].map((since) => Date.now() - since)),
      done: this.#done,
      failed: this.#failed,
    };
  }

  #schedule(key: string, ms: number, add: () => void): void {
    const at = Date.now() + ms;
    if (this.#stopping.signal.aborted) return;
    if ((this.#timers.get(key)?.at ?? Number.POSITIVE_INFINITY) <= at) return;
    this.#cancel(key);
    const onTime = (): void => {
      this.#timers.delete(key);
      add();
    };
    this.#timers.set(key, { timer: setTimeout(onTime, Math.min(ms, LONGEST_TIMER_MS)), at });
  }

  #cancel(key: string): void {
    clearTimeout(this.#timers.get(key)?.timer);
    this.#timers.delete(key);
  }

  #pump(): void {
    while (this.#started && this.#running.size < this.#parallel) {
      const key = this.#takeNext();
      if (key === undefined) return;
      this.#running.set(key, Date.now());
      void this.#run(key);
    }
  }

  #takeNext(): string | undefined {
    const isLow = this.#waiting.size === 0 || (this.#lowPriority.size > 0 && this.#preferred >= MOST_PREFERRED);
    const keys = isLow ? this.#lowPriority : this.#waiting;
    const [key] = keys;
    if (key === undefined) return undefined;
    keys.delete(key);
    this.#preferred = isLow || this.#lowPriority.size === 0 ? 0 : this.#preferred + 1;
    return key;
  }

  async #run(key: string): Promise<void> {
    // The key counts as running until the work has ended: two at once would undo each other's writes.
    const scheduleNext = await this.#attempt(key);
    this.#running.delete(key);
    if (!this.#started) this.#onIdle?.();
    else if (this.#again.delete(key)) this.add(key);
    else scheduleNext?.();
    this.#pump();
  }

  /** @returns what schedules the next run */
  async #attempt(key: string): Promise<(() => void) | undefined> {
    const { reconcile, timeoutMs = 60_000, backoff = { minMs: 5, maxMs: 300_000 }, random, log } = this.#options;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal]);
    const before = this.#failures.get(key) ?? 0;
    try {
      const next = await reconcile(key, signal, before);
      this.#failures.delete(key);
      this.#done += 1;
      return next === undefined ? undefined : () => this.#schedule(key, next, () => this.addWithLowPriority(key));
    } catch (error) {
      if (this.#stopping.signal.aborted) return undefined;
      const failures = before + 1;
      this.#failures.set(key, failures);
      this.#failed += 1;
      const wait = backoffMs(error, failures, [backoff.minMs, backoff.maxMs], random);
      log.warn({ instance: key, err: error, failures, retry_ms: Math.round(wait) }, 'reconciling failed');
      // A try after a failure is as urgent as a change.
      return () => this.#schedule(key, wait, () => this.add(key));
    }
  }
}

/** Delay after the first repair, the factor for each further one, and the longest delay. */
const REPAIR_BACKOFF = { firstMs: 1, factor: 1.5, longestMs: 300_000 };
/** Milliseconds without a repair after which the count begins anew. */
const FORGET_MS = 600_000;

/**
 * Delays reconciles exponentially, the more often an object had to be repaired: two controllers would otherwise overwrite each other
 * at the speed of the network. The first twenty repairs come within seconds, since somebody may edit one field after the other.
 */
export class RepairLimiter {
  readonly #repairs = new Map<string, { count: number; at: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  count(object: string): void {
    for (const id of this.#repairs.keys()) this.#findRecent(id);
    this.#repairs.set(object, { count: (this.#findRecent(object)?.count ?? 0) + 1, at: this.#clock() });
  }

  /** Returns milliseconds to wait after a change of an object. */
  delayMs(object: string): number {
    const recent = this.#findRecent(object);
    if (!recent) return 0;
    const { firstMs, factor, longestMs } = REPAIR_BACKOFF;
    return Math.max(0, recent.at + Math.min(longestMs, firstMs * factor ** recent.count) - this.#clock());
  }

  #findRecent(object: string): { count: number; at: number } | undefined {
    const repairs = this.#repairs.get(object);
    const since = this.#clock() - (repairs?.at ?? 0);
    // A clock that was wrong leaves times in the future.
    if (since >= 0 && since < FORGET_MS) return repairs;
    this.#repairs.delete(object);
    return undefined;
  }
}
