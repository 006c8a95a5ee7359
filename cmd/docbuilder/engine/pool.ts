import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from 'generic-pool';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { unlessAborted } from '../../../src/common/net/deadline.ts';
import { EngineFailure, type EngineStatus } from './task.ts';
import type { Worker } from './worker.ts';

export interface PoolOptions {
  size: number;
  maxJobs: number;
  maxAgeMinutes: number;
  /** A worker with more memory of its own after a job is replaced. */
  maxIdleBytes: number;
  clock: Clock;
  log: Logger;
}

/** A worker that is started ahead of need; `worker` is set when it is ready. */
interface Spare {
  starting: Promise<Worker>;
  worker?: Worker;
}

const NO_WORKER_MS = 10_000;
const AGE_CHECK_MS = 5_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;
/** Time for the first attempt to start a worker. On an overloaded machine, one that is ended too early would start for ever. */
export const START_MS = 30_000;
const LONGEST_START_MS = 8 * START_MS;
/** The start of the next spare takes CPU time from the job that has just got this one. */
const REFILL_MS = 20;
/** A worker with this share of its jobs left, or this many, will soon be replaced. */
const NEARLY_DUE_SHARE = 0.2;
const NEARLY_DUE = 10;

/**
 * Workers, which generic-pool lends to one job at a time, and which are replaced when they are worn or dead. Spares are
 * not in generic-pool, because it lends all that it has.
 */
export class WorkerPool {
  readonly #start: (slot: number, limitMs: number) => Promise<Worker>;
  readonly #options: PoolOptions;
  readonly #pool: Pool<Worker>;
  /** The workers in generic-pool, whose own count has one twice while it is added. */
  readonly #pooled = new Set<Worker>();
  /** The oldest is used first, even while it is still starting. */
  readonly #spares: Spare[] = [];
  readonly #slots = new Set<number>();
  /** The number of jobs of each living worker. */
  readonly #jobs = new Map<Worker, number>();
  /** Starts and ends of workers, for which a stop waits. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  /** Aborts when no worker has been alive for NO_WORKER_MS. */
  #unavailable = new AbortController();
  #unavailableTimer: NodeJS.Timeout | undefined;
  readonly #ageTimer: NodeJS.Timeout;
  #restarts = 0;

  /**
   * @param start starts a worker within a time, in a slot: a small number that no other living worker has
   * @param first a worker in slot 0 that is ready
   */
  constructor(start: (slot: number, limitMs: number) => Promise<Worker>, first: Worker, options: PoolOptions) {
    this.#start = start;
    this.#options = options;
    this.#slots.add(first.slot);
    this.#addSpare(Promise.resolve(this.#adopt(first)));
    this.#pool = createPool<Worker>(
      {
        create: () => this.#takeSpare(),
        destroy: (worker) => {
          this.#pooled.delete(worker);
          return this.#retire(worker, this.#pooled.size < this.#pool.max);
        },
        validate: async (worker) => worker.alive,
      },
      { min: options.size, max: options.size, testOnBorrow: true },
    );
    // An old worker is replaced when it is given back. Idle ones are, one after the other, here.
    this.#ageTimer = setInterval(() => {
      const isSpareReady = this.#spares.some(({ worker }) => worker);
      if (this.#pool.available > 0 && this.#pool.pending === 0 && isSpareReady) this.#borrowAndReturn(1);
    }, AGE_CHECK_MS).unref();
  }

  /** Lends a worker when one is free. @throws {EngineFailure} `no_worker` after 10 s without any; the signal's reason */
  async acquire(signal: AbortSignal): Promise<Worker> {
    const ended = AbortSignal.any([signal, this.#stopping.signal, this.#unavailable.signal]);
    ended.throwIfAborted();
    const acquired = this.#pool.acquire();
    const worker = await unlessAborted(acquired, ended).catch((error) => {
      void acquired.then((late) => this.#pool.release(late));
      throw error;
    });
    this.#jobs.set(worker, (this.#jobs.get(worker) ?? 0) + 1);
    this.#refill();
    return worker;
  }

  /** Takes a worker back, which is lent again or replaced when its document is closed. */
  async giveBack(worker: Worker): Promise<void> {
    if (worker.alive) await worker.settled();
    if (this.#stopping.signal.aborted) return;
    const isSurplus = this.#pooled.size > this.#pool.max;
    if (!worker.alive || this.#isWorn(worker) || isSurplus) await this.#pool.destroy(worker);
    else await this.#pool.release(worker);
  }

  counts(): EngineStatus['workers'] {
    const { max, available, borrowed } = this.#pool;
    return { total: max, idle: available, busy: borrowed, restarts: this.#restarts };
  }

  /** Changes the number of workers: missing ones are started, surplus ones end when they are idle. */
  resize(size: number): void {
    if (this.#stopping.signal.aborted) return;
    // generic-pool reads its limits at each step, but has no setter for them.
    Object.assign(Reflect.get(this.#pool, '_config'), { min: size, max: size });
    // It starts missing ones when they are asked for.
    this.#borrowAndReturn(Math.max(this.#pool.available, size - this.#pool.borrowed));
  }

  /** Ends all workers. The signal that ends starting ones must have aborted before. */
  async stop(): Promise<void> {
    this.#stopping.abort(new EngineFailure('no_worker', 'the engine has stopped'));
    clearInterval(this.#ageTimer);
    clearTimeout(this.#unavailableTimer);
    await Promise.all(this.#underWay);
    await Promise.all([...this.#jobs.keys()].map((worker) => worker.end()));
  }

  /** Makes generic-pool test its idle workers: it has no way to remove a certain one that died or is surplus. */
  #borrowAndReturn(count = this.#pool.available): void {
    if (this.#stopping.signal.aborted) return;
    for (let left = count; left > 0; left--) void this.#pool.acquire().then((worker) => this.giveBack(worker));
  }

  /** Resolves with the oldest spare, when it is ready. */
  async #takeSpare(): Promise<Worker> {
    const worker = await (this.#spares.shift()?.starting ?? this.#startReliably());
    this.#pooled.add(worker);
    setTimeout(() => this.#refill(), REFILL_MS).unref();
    // The number of workers may have changed meanwhile. By then generic-pool has this worker.
    setImmediate(() => {
      if (this.#pooled.size > this.#pool.max) this.#borrowAndReturn();
    });
    return worker;
  }

  /** Starts missing spares: one is kept, or one for each worker that will soon be replaced. */
  #refill(): void {
    const nearlyDue = Math.max(NEARLY_DUE, NEARLY_DUE_SHARE * this.#options.maxJobs);
    const due = [...this.#jobs].filter(([worker, done]) => done > 0 && this.#jobsLeft(worker) < nearlyDue);
    const wanted = Math.max(1, due.length);
    while (!this.#stopping.signal.aborted && this.#spares.length < wanted) this.#addSpare(this.#startReliably());
  }

  #addSpare(starting: Promise<Worker>): void {
    const spare: Spare = { starting };
    this.#spares.push(spare);
    void starting.then(async (worker) => {
      spare.worker = worker;
      await worker.ended;
      const index = this.#spares.indexOf(spare);
      if (index < 0) return;
      this.#spares.splice(index, 1);
      this.#refill();
      await this.#retire(worker, true);
    });
  }

  /** Starts a worker, again and again until one has started, each time within twice the time. Never rejects. */
  async #startReliably(): Promise<Worker> {
    const { signal } = this.#stopping;
    let slot = 0;
    while (this.#slots.has(slot)) slot++;
    this.#slots.add(slot);
    for (let factor = 1; !signal.aborted; factor *= 2) {
      const wait = Math.min(factor * FIRST_RETRY_MS, LAST_RETRY_MS);
      const limitMs = Math.min(factor * START_MS, LONGEST_START_MS);
      try {
        return await this.#awaited(this.#start(slot, limitMs).then((worker) => this.#adopt(worker)));
      } catch (error) {
        if (signal.aborted) break;
        this.#options.log.warn({ err: error, retryMs: wait }, 'a worker did not start');
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    }
    // Nobody waits for a worker of a stopped pool.
    return new Promise(() => undefined);
  }

  #adopt(worker: Worker): Worker {
    this.#jobs.set(worker, 0);
    clearTimeout(this.#unavailableTimer);
    if (this.#unavailable.signal.aborted) this.#unavailable = new AbortController();
    void worker.ended.then(() => {
      // Otherwise it was retired.
      if (this.#jobs.has(worker)) this.#borrowAndReturn();
    });
    return worker;
  }

  async #retire(worker: Worker, isReplaced: boolean): Promise<void> {
    this.#jobs.delete(worker);
    if (!this.#stopping.signal.aborted) {
      if (isReplaced) this.#restarts++;
      if (this.#jobs.size === 0) {
        const failure = new EngineFailure('no_worker', 'no worker is alive and none can be started');
        this.#unavailableTimer = setTimeout(() => this.#unavailable.abort(failure), NO_WORKER_MS).unref();
      }
    }
    await this.#awaited(worker.end());
    this.#slots.delete(worker.slot);
  }

  /** Lets a stop wait for a start or an end. */
  #awaited<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work.catch(() => undefined).then(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
    return work;
  }

  #jobsLeft(worker: Worker): number {
    return this.#options.maxJobs - (this.#jobs.get(worker) ?? 0);
  }

  #isWorn(worker: Worker): boolean {
    const { clock, maxAgeMinutes, maxIdleBytes } = this.#options;
    const isOld = clock() - worker.startedAt >= maxAgeMinutes * 60_000;
    return this.#jobsLeft(worker) <= 0 || isOld || worker.marked || worker.memory > maxIdleBytes;
  }
}
