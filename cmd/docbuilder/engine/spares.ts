import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../src/common/log.ts';
import type { Worker } from './worker.ts';

interface SpareOptions {
  start: () => Promise<Worker>;
  /** Called with a spare that died. */
  discard: (worker: Worker) => Promise<void>;
  /** The number that there should be now. */
  wanted: () => number;
  log: Logger;
}

interface Spare {
  worker: Promise<Worker>;
  ready: boolean;
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** A moment for the job that has just got the spare, before its successor's start takes part of the CPU. */
const REFILL_MS = 20;

/** Workers started ahead of need. Those being started are handed out as well, the eldest first. */
export class Spares {
  readonly #options: SpareOptions;
  readonly #spares: Spare[] = [];
  readonly #stopping = new AbortController();

  /** @param first a worker that stands ready already */
  constructor(first: Worker, options: SpareOptions) {
    this.#options = options;
    this.#add(Promise.resolve(first));
  }

  /** One could be taken without waiting. */
  get ready(): boolean {
    return this.#spares.some((spare) => spare.ready);
  }

  /** Resolves with a worker that is ready, or the next that will be. Never rejects: a failed start is tried again. */
  async take(): Promise<Worker> {
    for (;;) {
      const worker = await (this.#spares.shift()?.worker ?? this.#startReliably());
      setTimeout(() => this.refill(), REFILL_MS).unref();
      if (worker.alive) return worker;
      await this.#options.discard(worker);
    }
  }

  /** Starts as many as are wanted now. */
  refill(): void {
    while (!this.#stopping.signal.aborted && this.#spares.length < this.#options.wanted()) {
      this.#add(this.#startReliably());
    }
  }

  /** Starts no more. */
  stop(): void {
    this.#stopping.abort();
  }

  #add(starting: Promise<Worker>): void {
    const spare: Spare = { worker: starting, ready: false };
    this.#spares.push(spare);
    void starting.then(async (worker) => {
      spare.ready = true;
      await worker.ended;
      const index = this.#spares.indexOf(spare);
      if (index < 0) return;
      this.#spares.splice(index, 1);
      this.refill();
      await this.#options.discard(worker);
    });
  }

  async #startReliably(): Promise<Worker> {
    const { signal } = this.#stopping;
    for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = Math.min(2 * wait, LAST_RETRY_MS)) {
      try {
        return await this.#options.start();
      } catch (error) {
        if (signal.aborted) break;
        this.#options.log.warn({ err: error, retryMs: wait }, 'a worker did not start');
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    }
    // After the end nobody waits for a worker any more.
    return new Promise(() => undefined);
  }
}
