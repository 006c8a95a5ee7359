import { AppError } from '../../../src/common/errors.ts';

/** A place in the queue, taken before the work is ready to run. */
export interface Ticket {
  /** Runs `work` when its turn comes; rejects with the signal's reason when that aborts first. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Gives the place back without having run. */
  release(): void;
}

interface Waiting {
  start(): void;
  cancel(reason: unknown): void;
}

/** First come, first served: at most `parallel` run, at most `capacity` wait (contract: DocBuilder limits). */
export class JobQueue {
  readonly #limits: () => { parallel: number; capacity: number };
  readonly #waiting = new Set<Waiting>();
  #reserved = 0;
  #running = 0;
  #closed = false;
  /** Smoothed seconds that one job runs, for Retry-After. */
  #seconds = 1;

  /** @param limits asked at every turn: a licence may change them at any time */
  constructor(limits: () => { parallel: number; capacity: number }) {
    this.#limits = limits;
  }

  counts(): { queued: number; running: number } {
    return { queued: this.#waiting.size + this.#reserved, running: this.#running };
  }

  /**
   * Takes a place.
   * @throws {AppError} `queue_full`, or `pool_unavailable` while the service stops
   */
  reserve(): Ticket {
    this.assertRoom();
    this.#reserved += 1;
    let open = true;
    const release = (): void => {
      if (open) this.#reserved -= 1;
      open = false;
    };
    return {
      release,
      run: (work, signal) => {
        release();
        return this.#enqueue(work, signal);
      },
    };
  }

  /** Throws as `reserve` would: lets a request be refused before its body is read. */
  assertRoom(): void {
    if (this.#closed) throw stopping();
    const { parallel, capacity } = this.#limits();
    const { queued, running } = this.counts();
    // Together: a job that was only just accepted has not taken its free place yet.
    if (queued + running < capacity + parallel) return;
    const retryAfter = Math.min(60, Math.max(1, (this.#seconds * queued) / parallel));
    throw new AppError('queue_full', { limit: capacity }, { retryAfter });
  }

  /** Refuses new work and what waits, and resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of [...this.#waiting]) waiting.cancel(stopping());
    while (this.#running > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  readonly #onIdle: (() => void)[] = [];

  #enqueue<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        start: () => {
          leave();
          this.#run(work).then(resolve, reject);
        },
        cancel: (reason) => {
          leave();
          reject(reason);
        },
      };
      const onAbort = (): void => waiting.cancel(signal.reason);
      if (signal.aborted) return reject(signal.reason);
      if (this.#closed) return reject(stopping());
      signal.addEventListener('abort', onAbort);
      this.#waiting.add(waiting);
      this.#dispatch();
    });
  }

  #dispatch(): void {
    for (const waiting of this.#waiting) {
      if (this.#running >= this.#limits().parallel) return;
      waiting.start();
    }
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#seconds += ((performance.now() - started) / 1000 - this.#seconds) / 8;
      this.#dispatch();
      if (this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }
}

/** Why what had not begun to run when the service was stopped never will. */
export function stopping(): AppError {
  return new AppError('pool_unavailable', { reason: 'stopping' }, { retryAfter: 5 });
}
