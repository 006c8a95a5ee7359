import type { Logger } from '../../../src/common/log.ts';

/** The longest that a Node timer can wait for; later is asked for again. */
const LONGEST_TIMER_MS = 86_400_000;

export interface QueueOptions {
  /**
   * Does what is to do for a key. Rejects: it is tried again, later each time.
   * @param signal aborts after `timeoutMs`
   * @returns milliseconds after which to look again by itself
   */
  work: (key: string, signal: AbortSignal) => Promise<number | undefined>;
  /** Keys at a time. */
  parallel?: number;
  timeoutMs?: number;
  /** Of the first and of the longest wait after a failure. */
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
  /** As soon as possible; a key that waits already is not added twice, one that runs is run again afterwards. */
  add(key: string): void;
  /** Forgets the failures and the later looks of a key that is no more. */
  forget(key: string): void;
  /** Nothing runs before. */
  start(): void;
  /** Starts nothing more; resolves when what runs has ended. */
  stop(): Promise<void>;
  figures(): QueueFigures;
}

/** A queue of keys, each of which is worked on once at a time. */
export function createQueue(options: QueueOptions): Queue {
  const { work, parallel = 4, timeoutMs = 60_000, backoff = { minMs: 5, maxMs: 300_000 }, log } = options;
  const random = options.random ?? Math.random;
  const waiting = new Set<string>();
  const running = new Map<string, number>();
  /** Asked for while they ran. */
  const again = new Set<string>();
  const later = new Map<string, { timer: NodeJS.Timeout; at: number }>();
  const failures = new Map<string, number>();
  const counts = { done: 0, failed: 0 };
  let started = false;
  let idle: (() => void) | undefined;

  function add(key: string): void {
    cancel(key);
    if (running.has(key)) again.add(key);
    else waiting.add(key);
    pump();
  }

  function addAfter(key: string, ms: number): void {
    const at = Date.now() + ms;
    if ((later.get(key)?.at ?? Number.POSITIVE_INFINITY) <= at) return;
    cancel(key);
    const timer = setTimeout(() => add(key), Math.min(ms, LONGEST_TIMER_MS));
    later.set(key, { timer, at });
  }

  function cancel(key: string): void {
    clearTimeout(later.get(key)?.timer);
    later.delete(key);
  }

  function pump(): void {
    for (const key of waiting) {
      if (!started || running.size >= parallel) return;
      waiting.delete(key);
      running.set(key, Date.now());
      void run(key);
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

  /** @returns milliseconds until the next one */
  async function attempt(key: string): Promise<number | undefined> {
    // The key counts as running until the work has really ended: two at once would undo each other's writes.
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const next = await work(key, signal);
      failures.delete(key);
      counts.done += 1;
      return next;
    } catch (error) {
      const times = (failures.get(key) ?? 0) + 1;
      failures.set(key, times);
      counts.failed += 1;
      const wait = Math.min(backoff.maxMs, backoff.minMs * 2 ** Math.min(times - 1, 30)) * (0.5 + random() / 2);
      log.warn({ instance: key, err: error, times, retry_ms: Math.round(wait) }, 'reconciling failed');
      return wait;
    }
  }

  return {
    add,
    forget(key) {
      cancel(key);
      failures.delete(key);
    },
    start() {
      started = true;
      pump();
    },
    async stop() {
      started = false;
      for (const key of [...later.keys()]) cancel(key);
      while (running.size > 0) await new Promise<void>((resolve) => (idle = resolve));
    },
    figures: () => ({
      waiting: waiting.size,
      running: running.size,
      longestMs: Math.max(0, ...[...running.values()].map((since) => Date.now() - since)),
      ...counts,
    }),
  };
}
