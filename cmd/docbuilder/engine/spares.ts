import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../src/common/log.ts';
import type { Worker } from './worker.ts';

/** Workers started ahead of need. */
export interface Spares {
  /** A worker that is ready, or the next that will be. It never rejects: what does not start is tried again. */
  take(): Promise<Worker>;
  /** Whether one could be taken without waiting. */
  readonly ready: boolean;
  /** Starts as many as are wanted now. */
  refill(): void;
  /** Starts no more. */
  stop(): void;
}

interface Spare {
  worker: Promise<Worker>;
  ready: boolean;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** A moment for the job that has just got the spare, before its successor's start takes part of the CPU. */
const REFILL_MS = 20;

/**
 * Keeps `wanted()` spare workers. Those being started are handed out as well, the eldest first.
 * @param discard what to do with a spare that died
 * @param first a worker that stands ready already
 */
export function createSpares(
  start: () => Promise<Worker>,
  discard: (worker: Worker) => Promise<void>,
  wanted: () => number,
  log: Logger,
  first: Worker,
): Spares {
  const spares: Spare[] = [];
  const stopping = new AbortController();
  add(Promise.resolve(first));

  function add(starting: Promise<Worker>): void {
    const spare: Spare = { worker: starting, ready: false };
    spares.push(spare);
    void starting.then(async (worker) => {
      spare.ready = true;
      await worker.ended;
      const index = spares.indexOf(spare);
      if (index < 0) return;
      spares.splice(index, 1);
      refill();
      await discard(worker);
    });
  }

  async function startReliably(): Promise<Worker> {
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, LAST_RETRY_MS)) {
      try {
        return await start();
      } catch (error) {
        // After the end nobody waits for a worker any more.
        if (stopping.signal.aborted) return new Promise(() => undefined);
        log.warn({ err: error, retryMs: wait }, 'a worker did not start');
        await sleep(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  function refill(): void {
    while (!stopping.signal.aborted && spares.length < wanted()) add(startReliably());
  }

  return {
    async take() {
      for (;;) {
        const worker = await (spares.shift()?.worker ?? startReliably());
        setTimeout(refill, REFILL_MS).unref();
        if (worker.alive) return worker;
        await discard(worker);
      }
    },
    get ready() {
      return spares.some((spare) => spare.ready);
    },
    refill,
    stop: () => stopping.abort(),
  };
}
