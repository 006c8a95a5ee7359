import { createPool, type Pool } from 'generic-pool';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { unlessAborted } from '../../../src/common/net/deadline.ts';
import { Spares } from './spares.ts';
import { EngineFailure } from './task.ts';
import type { Worker } from './worker.ts';

export interface PoolOptions {
  size: number;
  maxJobs: number;
  maxAgeMinutes: number;
  /** Bytes of resident memory after a job above which the worker is replaced. */
  maxResidentBytes: number;
  clock: Clock;
  log: Logger;
}

const NO_WORKER_MS = 10_000;
const AGE_CHECK_MS = 5_000;
/** A worker that has this share of its jobs left, or this many, will soon need a successor. */
const NEARLY_DUE_SHARE = 0.2;
const NEARLY_DUE = 10;

/** Workers, each lent to one job at a time by generic-pool, and replaced when they are worn or dead. */
export class WorkerPool {
  readonly #start: (slot: number) => Promise<Worker>;
  readonly #options: PoolOptions;
  readonly #pool: Pool<Worker>;
  readonly #spares: Spares;
  readonly #slots = new Set<number>();
  /** Jobs that each living worker has had. */
  readonly #jobs = new Map<Worker, number>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  /** Aborts when no worker has been alive for NO_WORKER_MS. */
  #unavailable = new AbortController();
  #unavailableTimer: NodeJS.Timeout | undefined;
  readonly #ageTimer: NodeJS.Timeout;
  #restarts = 0;

  /**
   * @param start starts a worker in a slot, a small number that no other living worker has
   * @param first a worker in slot 0 that stands ready
   */
  constructor(start: (slot: number) => Promise<Worker>, first: Worker, options: PoolOptions) {
    this.#start = start;
    this.#options = options;
    this.#adopt(first);
    this.#spares = new Spares(first, {
      start: () => this.#startInFreeSlot(),
      discard: (worker) => this.#replace(worker),
      wanted: () => this.#sparesWanted(),
      log: options.log,
    });
    this.#pool = createPool<Worker>(
      {
        create: () => this.#create(),
        destroy: (worker) => (this.#pool.size < this.#pool.max ? this.#replace(worker) : this.#retire(worker)),
        validate: async (worker) => worker.alive && !this.#isOld(worker),
      },
      { min: options.size, max: options.size, testOnBorrow: true },
    );
    // Borrowing checks a worker's age; this does the same for idle ones.
    this.#ageTimer = setInterval(() => {
      if (this.#pool.available > 0 && this.#pool.pending === 0 && this.#spares.ready) this.#borrowAndReturn();
    }, AGE_CHECK_MS).unref();
  }

  /**
   * Lends a worker, when one is free.
   * @throws {EngineFailure} `no_worker` when there is none alive and none can be started soon; the signal's reason
   */
  async acquire(signal: AbortSignal): Promise<Worker> {
    const ended = AbortSignal.any([signal, this.#stopping.signal, this.#unavailable.signal]);
    ended.throwIfAborted();
    const acquired = this.#pool.acquire();
    const worker = await unlessAborted(acquired, ended).catch((error) => {
      void acquired.then((late) => this.#pool.release(late));
      throw error;
    });
    this.#jobs.set(worker, (this.#jobs.get(worker) ?? 0) + 1);
    this.#spares.refill();
    return worker;
  }

  /** Takes a worker back; it is lent again, or replaced, once it has settled. */
  async giveBack(worker: Worker): Promise<void> {
    if (worker.alive) await worker.settled();
    if (this.#stopping.signal.aborted) return;
    if (!worker.alive || this.#isWorn(worker) || this.#surplus() > 0) await this.#pool.destroy(worker);
    else await this.#pool.release(worker);
  }

  counts(): { total: number; idle: number; busy: number; restarts: number } {
    const { max, available, borrowed } = this.#pool;
    return { total: max, idle: available, busy: borrowed, restarts: this.#restarts };
  }

  /** Changes the number of workers: missing ones are started, and those that are too many end when they are idle. */
  resize(size: number): void {
    if (this.#stopping.signal.aborted) return;
    // generic-pool reads its limits at each step, but has no setter for them.
    Object.assign(Reflect.get(this.#pool, '_config'), { min: size, max: size });
    this.#endSurplus();
    // Requests for as many as there may be make it start those that are missing.
    for (let count = this.#pool.borrowed; count < size; count++) this.#borrowAndReturn();
  }

  /** Ends all workers; the signal that ends those just starting must have been aborted before. */
  async stop(): Promise<void> {
    this.#stopping.abort(new EngineFailure('no_worker', 'the engine has stopped'));
    clearInterval(this.#ageTimer);
    clearTimeout(this.#unavailableTimer);
    this.#spares.stop();
    await Promise.all(this.#starting);
    await Promise.all([...this.#jobs.keys()].map((worker) => worker.end()));
  }

  async #create(): Promise<Worker> {
    const worker = await this.#spares.take();
    // The number of workers may have changed meanwhile; the pool lends this one first.
    setImmediate(() => this.#endSurplus());
    return worker;
  }

  #startInFreeSlot(): Promise<Worker> {
    let slot = 0;
    while (this.#slots.has(slot)) slot++;
    this.#slots.add(slot);
    const started = this.#start(slot).then(
      (worker) => {
        this.#adopt(worker);
        return worker;
      },
      (error) => {
        this.#slots.delete(slot);
        throw error;
      },
    );
    const settled: Promise<unknown> = started.catch(() => undefined).then(() => this.#starting.delete(settled));
    this.#starting.add(settled);
    return started;
  }

  #adopt(worker: Worker): void {
    this.#slots.add(worker.slot);
    this.#jobs.set(worker, 0);
    clearTimeout(this.#unavailableTimer);
    if (this.#unavailable.signal.aborted) this.#unavailable = new AbortController();
    void worker.ended.then(() => this.#testIdle());
  }

  #replace(worker: Worker): Promise<void> {
    if (!this.#stopping.signal.aborted) this.#restarts++;
    return this.#retire(worker);
  }

  async #retire(worker: Worker): Promise<void> {
    this.#jobs.delete(worker);
    if (this.#jobs.size === 0 && !this.#stopping.signal.aborted) {
      const failure = new EngineFailure('no_worker', 'no worker is alive and none can be started');
      this.#unavailableTimer = setTimeout(() => this.#unavailable.abort(failure), NO_WORKER_MS).unref();
    }
    await worker.end();
    this.#slots.delete(worker.slot);
  }

  /**
   * Borrowing finds a dead worker and replaces it. The pool has no way to name the idle worker that died, so all are
   * borrowed.
   */
  #testIdle(): void {
    if (this.#stopping.signal.aborted) return;
    for (let idle = this.#pool.available; idle > 0; idle--) this.#borrowAndReturn();
  }

  #borrowAndReturn(): void {
    void this.#pool.acquire().then((worker) => this.#pool.release(worker));
  }

  #surplus(): number {
    return Math.max(0, this.#pool.size - this.#pool.max);
  }

  /** Ends idle workers that are too many. Others are looked at when they come back. */
  #endSurplus(): void {
    for (let idle = Math.min(this.#pool.available, this.#surplus()); idle > 0; idle--) {
      void this.#pool.acquire().then((worker) => this.giveBack(worker));
    }
  }

  #isOld(worker: Worker): boolean {
    return this.#options.clock() - worker.startedAt >= this.#options.maxAgeMinutes * 60_000;
  }

  #jobsLeft(worker: Worker): number {
    return this.#options.maxJobs - (this.#jobs.get(worker) ?? 0);
  }

  #isWorn(worker: Worker): boolean {
    const isLarge = worker.resident > this.#options.maxResidentBytes;
    return this.#jobsLeft(worker) <= 0 || this.#isOld(worker) || worker.marked || isLarge;
  }

  /** One spare, or as many as there are workers whose end is near. */
  #sparesWanted(): number {
    const nearlyDue = Math.max(NEARLY_DUE, NEARLY_DUE_SHARE * this.#options.maxJobs);
    const due = [...this.#jobs].filter(([worker, done]) => done > 0 && this.#jobsLeft(worker) < nearlyDue);
    return Math.max(1, due.length);
  }
}
