import type { Logger } from '../../../src/common/log.ts';
import { backoffMs } from '../k8s/failures.ts';

/** The longest that a Node timer can wait for; later is asked for again. */
const LONGEST_TIMER_MS = 86_400_000;

export interface QueueOptions {
  /**
   * Does what is to do for a key. Rejects: it is tried again, later each time.
   * @param signal aborts after `timeoutMs`, and when the queue is stopped
   * @param failures in a row, before this time
   * @returns milliseconds after which to look again by itself
   */
  work: (key: string, signal: AbortSignal, failures: number) => Promise<number | undefined>;
  /** Keys at a time. */
  parallel?: number;
  timeoutMs?: number;
  /** Of the first and of the longest wait after a failure; an API server that asks for more gets more. */
  backoff?: { minMs: number; maxMs: number };
  random?: () => number;
  log: Pick<Logger, 'warn'>;
}

export interface QueueFigures {
  waiting: number;
  running: number;
  /** Of what has run longest, milliseconds. */
  longestMs: number;
  done: number;
  failed: number;
}

export interface Queue {
  /**
   * As soon as possible; a key that waits already is not added twice, one that runs is run again afterwards. Before the
   * start, the key that was added last comes first: another controller has dealt with most of what came before.
   */
  add(key: string): void;
  /** Forgets a key that no longer exists: its turn, its failures and its scheduled runs. A current run ends normally. */
  forget(key: string): void;
  /** Nothing runs before. What was added so far waits for what changes from now on. */
  start(): void;
  /** Starts nothing more and aborts what runs; resolves when that has ended. */
  stop(): Promise<void>;
  figures(): QueueFigures;
}

/** When a key has its next turn; a try after a failure is as urgent as what has changed. */
interface Next {
  ms: number;
  hurried: boolean;
}

/** A queue of keys, each of which is worked on once at a time. */
export function createQueue(options: QueueOptions): Queue {
  const { work, parallel = 4, timeoutMs = 60_000, backoff = { minMs: 5, maxMs: 300_000 }, log } = options;
  const random = options.random ?? Math.random;
  const waiting = new Set<string>();
  /** To be looked at again by themselves: only while nothing waits that has changed. */
  const unhurried = new Set<string>();
  const running = new Map<string, number>();
  /** Asked for while they ran. */
  const again = new Set<string>();
  const later = new Map<string, { timer: NodeJS.Timeout; at: number }>();
  const failures = new Map<string, number>();
  const counts = { done: 0, failed: 0 };
  const stopping = new AbortController();
  let started = false;
  let idle: (() => void) | undefined;

  function add(key: string): void {
    cancel(key);
    unhurried.delete(key);
    if (!started) waiting.delete(key);
    if (running.has(key)) again.add(key);
    else waiting.add(key);
    pump();
  }

  function addUnhurried(key: string): void {
    later.delete(key);
    if (running.has(key) || waiting.has(key)) return;
    unhurried.add(key);
    pump();
  }

  function addAfter(key: string, { ms, hurried }: Next): void {
    const at = Date.now() + ms;
    if ((later.get(key)?.at ?? Number.POSITIVE_INFINITY) <= at) return;
    cancel(key);
    const timer = setTimeout(() => (hurried ? add : addUnhurried)(key), Math.min(ms, LONGEST_TIMER_MS));
    later.set(key, { timer, at });
  }

  function cancel(key: string): void {
    clearTimeout(later.get(key)?.timer);
    later.delete(key);
  }

  function pump(): void {
    for (const keys of [waiting, unhurried]) {
      for (const key of keys) {
        if (!started || running.size >= parallel) return;
        keys.delete(key);
        running.set(key, Date.now());
        void run(key);
      }
    }
  }

  async function run(key: string): Promise<void> {
    const next = await attempt(key);
    running.delete(key);
    if (!started) idle?.();
    else if (again.delete(key)) add(key);
    else if (next !== undefined) addAfter(key, next);
    pump();
  }

  /** @returns when to try or look again */
  async function attempt(key: string): Promise<Next | undefined> {
    // The key counts as running until the work has really ended: two at once would undo each other's writes.
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal]);
    const before = failures.get(key) ?? 0;
    try {
      const next = await work(key, signal, before);
      failures.delete(key);
      counts.done += 1;
      return next === undefined ? undefined : { ms: next, hurried: false };
    } catch (error) {
      if (stopping.signal.aborted) return undefined;
      const times = before + 1;
      failures.set(key, times);
      counts.failed += 1;
      const wait = backoffMs(error, times, [backoff.minMs, backoff.maxMs], random);
      log.warn({ instance: key, err: error, times, retry_ms: Math.round(wait) }, 'reconciling failed');
      return { ms: wait, hurried: true };
    }
  }

  return {
    add,
    forget(key) {
      cancel(key);
      for (const keys of [waiting, unhurried, again, failures]) keys.delete(key);
    },
    start() {
      for (const key of [...waiting].reverse()) unhurried.add(key);
      waiting.clear();
      started = true;
      pump();
    },
    async stop() {
      started = false;
      stopping.abort();
      for (const key of [...later.keys()]) cancel(key);
      while (running.size > 0) await new Promise<void>((resolve) => (idle = resolve));
    },
    figures: () => ({
      waiting: waiting.size + unhurried.size,
      running: running.size,
      longestMs: Math.max(0, ...[...running.values()].map((since) => Date.now() - since)),
      ...counts,
    }),
  };
}
