import { AppError } from '../../../src/common/errors.ts';

interface QueueOptions {
  /** Ends the job, waiting or running, with the signal's reason. */
  signal: AbortSignal;
  /** A client holds a connection open for the result. */
  urgent?: boolean;
}

/** A job's work. When `preempted` aborts, the job makes room for others, and the queue calls the work again later. */
type QueuedWork<T> = (preempted: AbortSignal) => Promise<T>;

interface QueueLimits {
  parallel: number;
  capacity: number;
  /** Jobs that may wait in all replicas together; `capacity` is this replica's part. */
  limit: number;
}

/** A place in the queue, taken before the work is ready to run. */
export interface Ticket {
  /** Runs `work` as soon as it may; rejects with the signal's reason when that aborts first. */
  run<T>(work: QueuedWork<T>, options: QueueOptions): Promise<T>;
  /** Gives back a place that was not used. */
  release(): void;
}

/** A job that waits or runs. */
interface Entry {
  readonly urgent: boolean;
  readonly start: () => void;
  readonly cancel: (reason: unknown) => void;
  /** Set while it runs. */
  running?: { since: number; preemption: AbortController };
  /** It has made room once, and does so only once. */
  wasPreempted: boolean;
}

/** Milliseconds after which a running job is slow; a job for which no client waits makes room sooner. */
const SLOW_MS = { urgent: 10_000, other: 1_000 } as const;

/** The reason with which a job that makes room ends. */
const PREEMPTED = new Error('the job makes room for others');

/**
 * Runs at most `parallel` jobs and lets at most `capacity` wait (contract: DocBuilder limits), first come, first served.
 * Slow jobs leave one place to the others: beside a slow job, urgent ones run first; when slow jobs hold every place, the
 * last that started is ended for an urgent one, and starts again later.
 */
export class JobQueue {
  readonly #limits: () => QueueLimits;
  readonly #waiting = new Set<Entry>();
  readonly #running = new Set<Entry>();
  #reserved = 0;
  #leastFree = Number.POSITIVE_INFINITY;
  #closed = false;
  /** Smoothed seconds that one job runs, for Retry-After. */
  #seconds = 1;

  /** @param limits is called before each job: a licence may change them at any time */
  constructor(limits: () => QueueLimits) {
    this.#limits = limits;
  }

  counts(): { queued: number; running: number } {
    return { queued: this.#waiting.size + this.#reserved, running: this.#running.size };
  }

  /** Takes a place. @throws {AppError} as `assertRoom` */
  reserve(): Ticket {
    this.assertRoom();
    this.#reserved += 1;
    this.#leastFree = Math.min(this.#leastFree, this.places().free);
    let open = true;
    const release = (): void => {
      if (open) this.#reserved -= 1;
      open = false;
    };
    return {
      release,
      run: (work, options) => {
        release();
        return this.#enqueue(work, options);
      },
    };
  }

  /** @throws {AppError} `queue_full`; `pool_unavailable` while the service stops */
  assertRoom(): void {
    if (this.#closed) throw stopping();
    if (this.places().room > 0) return;
    const retryAfter = Math.min(60, Math.max(1, (this.#seconds * this.counts().queued) / this.#parallel()));
    throw new AppError('queue_full', { limit: this.#limits().limit }, { retryAfter });
  }

  /** Returns how many more jobs would run at once, and how many would run or wait. */
  places(): { free: number; room: number } {
    const { parallel, capacity } = this.#limits();
    // Together: a job that was just accepted does not hold its free place yet.
    const taken = this.#reserved + this.#waiting.size + this.#running.size;
    return { free: Math.max(0, parallel - taken), room: Math.max(0, capacity + parallel - taken) };
  }

  /** Returns how many places were free all the time since the last call: other replicas may use only those. */
  leastFree(): number {
    const { free } = this.places();
    const least = Math.min(this.#leastFree, free);
    this.#leastFree = free;
    return least;
  }

  /** Refuses new work and what waits; what runs goes on. */
  close(): void {
    this.#closed = true;
    for (const entry of [...this.#waiting]) entry.cancel(stopping());
  }

  #enqueue<T>(work: QueuedWork<T>, { signal, urgent = false }: QueueOptions): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const leave = (): void => {
      this.#waiting.delete(entry);
      signal.removeEventListener('abort', onAbort);
    };
    const wait = (): void => {
      if (signal.aborted) reject(signal.reason);
      else if (this.#closed) reject(stopping());
      else {
        signal.addEventListener('abort', onAbort);
        this.#waiting.add(entry);
        this.dispatch();
      }
    };
    const entry: Entry = {
      urgent,
      wasPreempted: false,
      start: () => {
        leave();
        this.#run(entry, work).then(resolve, (error) => (error === PREEMPTED ? wait() : reject(error)));
      },
      cancel: (reason) => {
        leave();
        reject(reason);
      },
    };
    const onAbort = (): void => entry.cancel(signal.reason);
    wait();
    return promise;
  }

  /** Starts what may run. Whoever raises the limits calls it. */
  dispatch(): void {
    const inOrder = [...this.#waiting];
    // Otherwise each slow job in line would hold up the urgent ones anew.
    if (this.#slow().length > 0) inOrder.sort((a, b) => Number(b.urgent) - Number(a.urgent));
    for (const entry of inOrder) {
      if (this.#running.size >= this.#parallel()) break;
      if (!entry.wasPreempted || this.#slow().length < this.#slowPlaces()) entry.start();
    }
    this.#preempt();
  }

  /** Ends a slow job if slow jobs hold every place and an urgent one waits. */
  #preempt(): void {
    const slow = this.#slow();
    if (this.#running.size < this.#parallel() || slow.length <= this.#slowPlaces()) return;
    if (slow.some((entry) => entry.running?.preemption.signal.aborted)) return;
    if (![...this.#waiting].some((entry) => entry.urgent && !entry.wasPreempted)) return;
    const fresh = slow.filter((entry) => !entry.wasPreempted);
    const last = fresh.findLast((entry) => !entry.urgent) ?? fresh.at(-1);
    if (!last) return;
    last.wasPreempted = true;
    last.running?.preemption.abort(PREEMPTED);
  }

  /** Slow jobs among those that run, in the order in which they started. */
  #slow(): Entry[] {
    const now = performance.now();
    return [...this.#running].filter(
      (entry) => entry.wasPreempted || (entry.running && now - entry.running.since >= patience(entry)),
    );
  }

  /** At least one: a replica whose part of the limits becomes none still runs what it has accepted. */
  #parallel(): number {
    return Math.max(1, this.#limits().parallel);
  }

  #slowPlaces(): number {
    return Math.max(1, this.#parallel() - 1);
  }

  async #run<T>(entry: Entry, work: QueuedWork<T>): Promise<T> {
    const running = { since: performance.now(), preemption: new AbortController() };
    entry.running = running;
    this.#running.add(entry);
    // Timers may fire a little early.
    const timer = setTimeout(() => this.#preempt(), patience(entry) + 5).unref();
    try {
      return await work(running.preemption.signal);
    } catch (error) {
      throw running.preemption.signal.aborted ? PREEMPTED : error;
    } finally {
      clearTimeout(timer);
      this.#running.delete(entry);
      this.#seconds += ((performance.now() - running.since) / 1000 - this.#seconds) / 8;
      this.dispatch();
    }
  }
}

/** Milliseconds after which a job is slow. */
function patience({ urgent }: Entry): number {
  return urgent ? SLOW_MS.urgent : SLOW_MS.other;
}

/** The error of jobs that had not begun to run when the service was stopped. */
export function stopping(): AppError {
  return new AppError('pool_unavailable', { reason: 'stopping' }, { retryAfter: 5 });
}
