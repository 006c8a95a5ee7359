import { createPool } from 'generic-pool';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { MAX_WORKERS } from '../../../src/common/plan.ts';
import { EngineFailure } from '../ports.ts';
import { createPlaces } from './places.ts';
import { createSpares } from './spares.ts';
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

/** Workers, each lent to one job at a time, and replaced when they are worn or dead. */
export interface WorkerPool {
  /**
   * Lends a worker, when one is free.
   * @throws {EngineFailure} `no_worker` when there is none alive and none can be started soon; the signal's reason
   */
  acquire(signal: AbortSignal): Promise<Worker>;
  /** Takes a worker back; it is lent again, or replaced, once it has settled. */
  giveBack(worker: Worker): Promise<void>;
  counts(): { total: number; idle: number; busy: number; restarts: number };
  /** From now on so many workers: those that are missing are started, those that are too many end when they are idle. */
  resize(size: number): void;
  /** Ends all workers; the signal that ends those just starting must have been aborted before. */
  stop(): Promise<void>;
}

const NO_WORKER_MS = 10_000;
const CHECK_MS = 500;
const AGE_CHECK_MS = 5_000;
/** A worker that has this share of its jobs left, or this many, will soon need a successor. */
const NEARLY_DUE_SHARE = 0.2;
const NEARLY_DUE = 10;

/**
 * @param start starts a worker in a slot, a small number that no other living worker has
 * @param first a worker in slot 0 that stands ready
 */
export function createWorkerPool(
  start: (slot: number) => Promise<Worker>,
  first: Worker,
  options: PoolOptions,
): WorkerPool {
  const { clock, log } = options;
  const living = new Map<number, Worker>();
  const slots = new Set<number>();
  const jobs = new Map<Worker, number>();
  const starting = new Set<Promise<unknown>>();
  const waiting = new Set<(error: unknown) => void>();
  let noneSince: number | undefined;
  let restarts = 0;
  let stopping = false;
  const places = createPlaces(options.size);

  function startInSlot(): Promise<Worker> {
    const worker = startInFreeSlot();
    const settled: Promise<unknown> = worker.then(
      () => starting.delete(settled),
      () => starting.delete(settled),
    );
    starting.add(settled);
    return worker;
  }

  async function startInFreeSlot(): Promise<Worker> {
    let slot = 0;
    while (slots.has(slot)) slot++;
    slots.add(slot);
    try {
      const worker = await start(slot);
      adopt(worker);
      return worker;
    } catch (error) {
      slots.delete(slot);
      throw error;
    }
  }

  function adopt(worker: Worker): void {
    slots.add(worker.slot);
    living.set(worker.slot, worker);
    jobs.set(worker, 0);
    noneSince = undefined;
    void worker.ended.then(testIdle);
  }

  async function retire(worker: Worker): Promise<void> {
    living.delete(worker.slot);
    jobs.delete(worker);
    if (living.size === 0) noneSince ??= Date.now();
    await worker.end();
    slots.delete(worker.slot);
  }

  function replace(worker: Worker): Promise<void> {
    if (!stopping) restarts++;
    return retire(worker);
  }

  const tooOld = (worker: Worker) => clock() - worker.startedAt >= options.maxAgeMinutes * 60_000;
  const jobsLeft = (worker: Worker) => options.maxJobs - (jobs.get(worker) ?? 0);
  const worn = (worker: Worker) =>
    jobsLeft(worker) <= 0 || tooOld(worker) || worker.marked || worker.resident > options.maxResidentBytes;
  const nearlyDue = Math.max(NEARLY_DUE, NEARLY_DUE_SHARE * options.maxJobs);
  const sparesWanted = () => {
    if (!places.full()) return 0;
    const due = [...jobs].filter(([worker, done]) => done > 0 && jobsLeft(worker) < nearlyDue);
    return Math.max(1, due.length);
  };

  adopt(first);
  const spares = createSpares(startInSlot, replace, sparesWanted, log, first);
  const pool = createPool<Worker>(
    {
      async create() {
        await places.take();
        return stopping ? new Promise(() => undefined) : spares.take();
      },
      destroy(worker) {
        const surplus = places.surplus() > 0;
        places.leave();
        return surplus ? retire(worker) : replace(worker);
      },
      validate: async (worker) => worker.alive && !tooOld(worker),
    },
    // Its size is for ever: whatever is above ours waits for a place to be made in.
    { min: MAX_WORKERS, max: MAX_WORKERS, testOnBorrow: true },
  );

  // Borrowing checks a worker's age; this does the same for idle ones.
  const ageCheck = setInterval(() => {
    if (pool.available > 0 && pool.pending === 0 && spares.ready) borrowAndReturn();
  }, AGE_CHECK_MS).unref();

  function borrowAndReturn(): void {
    void pool.acquire().then((worker) => pool.release(worker));
  }

  /**
   * Borrowing finds a dead worker and replaces it. The pool has no way to name the idle worker that died, so all are
   * borrowed.
   */
  function testIdle(): void {
    if (stopping) return;
    for (let idle = pool.available; idle > 0; idle--) borrowAndReturn();
  }

  function acquire(signal: AbortSignal): Promise<Worker> {
    return new Promise((resolve, reject) => {
      let waits = true;
      const check = setInterval(() => {
        if (noneSince !== undefined && Date.now() - noneSince >= NO_WORKER_MS) {
          giveUp(new EngineFailure('no_worker', 'no worker is alive and none can be started'));
        }
      }, CHECK_MS);
      const abort = () => giveUp(signal.reason);
      const finish = () => {
        waits = false;
        clearInterval(check);
        signal.removeEventListener('abort', abort);
        waiting.delete(giveUp);
      };
      const giveUp = (error: unknown) => {
        finish();
        reject(error);
      };
      waiting.add(giveUp);
      signal.addEventListener('abort', abort, { once: true });
      if (stopping) return giveUp(new EngineFailure('no_worker', 'the engine has stopped'));
      if (signal.aborted) return abort();
      void pool.acquire().then((worker) => {
        if (!waits) return void pool.release(worker);
        finish();
        jobs.set(worker, (jobs.get(worker) ?? 0) + 1);
        spares.refill();
        resolve(worker);
      });
    });
  }

  async function giveBack(worker: Worker): Promise<void> {
    if (worker.alive) await worker.settled();
    if (stopping) return;
    if (!worker.alive || worn(worker) || places.surplus() > 0) await pool.destroy(worker);
    else await pool.release(worker);
  }

  function resize(size: number): void {
    if (stopping) return;
    places.resize(size);
    // Those that work are looked at when they come back.
    for (let idle = Math.min(pool.available, places.surplus()); idle > 0; idle--) void pool.acquire().then(giveBack);
  }

  async function stop(): Promise<void> {
    stopping = true;
    clearInterval(ageCheck);
    spares.stop();
    for (const giveUp of [...waiting]) giveUp(new EngineFailure('no_worker', 'the engine has stopped'));
    await Promise.all(starting);
    await Promise.all([...living.values()].map((worker) => worker.end()));
  }

  return {
    acquire,
    giveBack,
    counts: () => ({ total: places.size(), idle: pool.available, busy: pool.borrowed, restarts }),
    resize,
    stop,
  };
}
