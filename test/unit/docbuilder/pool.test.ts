import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRandom } from '../../../bench/statistics.ts';
import { type PoolOptions, WorkerPool } from '../../../cmd/docbuilder/engine/pool.ts';
import type { Worker } from '../../../cmd/docbuilder/engine/worker.ts';
import { silentLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

const MINUTE = 60_000;
type Start = ConstructorParameters<typeof WorkerPool>[0];
const never = new AbortController().signal;

describe('the pool of workers', () => {
  const random = seededRandom(7);
  const living = new Set<Worker & { die(): void }>();
  let pool: WorkerPool;
  let now = 0;

  function makeWorker(slot: number) {
    for (const other of living) expect(other.slot, 'each has a slot of its own').to.not.equal(slot);
    expect(slot, 'it is small').to.be.below(12);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const facts = { slot, startedAt: now, alive: true, memory: 0, marked: false, ended, settled: async () => {} };
    const worker = Object.assign(facts as unknown as Worker, {
      die: () => {
        facts.alive = false;
        living.delete(worker);
        resolve();
      },
      end: async () => worker.die(),
    });
    living.add(worker);
    return worker;
  }
  async function startWorker(slot: number): Promise<Worker> {
    await sleep(5 + random() * 15);
    if (random() < 0.03) throw new Error('it does not start');
    return makeWorker(slot);
  }
  function open(options: Partial<PoolOptions> = {}, start: Start = startWorker): void {
    const usual = { size: 2, maxJobs: 200, maxAgeMinutes: 60, maxIdleBytes: 1000, clock: () => now };
    pool = new WorkerPool(start, makeWorker(0), { ...usual, log: silentLogger(), ...options });
  }
  afterEach(async () => {
    await pool.stop();
    expect(living.size).to.equal(0);
  });

  /** Waits until so many are idle, and one spare stands by. */
  const atRest = (idle: number) => {
    const isSo = () => pool.counts().idle === idle && pool.counts().busy === 0 && living.size === idle + 1;
    // Sooner than the next check of ages.
    return until(`${idle} that are idle, and a spare`, isSo, 3_000);
  };
  async function work(ms = 1, leave: (worker: Worker) => void = () => undefined): Promise<void> {
    const worker = await pool.acquire(never);
    await sleep(ms);
    leave(worker);
    void pool.giveBack(worker);
  }

  it('replaces one after its jobs, at its age, with too much memory or traces of a document, and not before', async () => {
    open({ size: 1, maxJobs: 3, maxAgeMinutes: 1 });
    const restarts: number[] = [];
    const next = async (leave?: (worker: Worker) => void) => {
      await work(1, leave);
      await atRest(1);
      restarts.push(pool.counts().restarts);
    };
    for (let count = 0; count < 4; count++) await next();
    await next((worker) => Object.assign(worker, { memory: 1000 }));
    await next((worker) => Object.assign(worker, { memory: 1001 }));
    await next((worker) => Object.assign(worker, { marked: true }));
    now += MINUTE - 1;
    await next();
    now += 1;
    await next();
    expect(restarts).to.deep.equal([0, 0, 1, 1, 1, 2, 3, 3, 4]);
  });

  it('gives one that did not start in time twice as long at the next attempt', async () => {
    const given: number[] = [];
    open({ size: 1 }, async (slot, limitMs) => {
      given.push(limitMs);
      if (limitMs < 100_000) throw new Error('it did not start in time');
      return makeWorker(slot);
    });
    await atRest(1);
    expect(given).to.deep.equal([30_000, 60_000, 120_000]);
  });

  it('replaces those that have their age while nobody uses them, one after the other', async () => {
    open({ size: 3, maxAgeMinutes: 1 });
    await atRest(3);
    now += MINUTE;
    await until('one is replaced', () => pool.counts().restarts > 0);
    await sleep(200);
    expect(pool.counts()).to.include({ idle: 3, restarts: 1 });
  });

  it('has as many as it is told: fewer once their jobs have ended', async () => {
    open();
    for (const size of [3, 1, 4, 2, 1, 3]) {
      pool.resize(size);
      await atRest(size);
    }
    // Those that are just starting are too many when they come.
    pool.resize(4);
    pool.resize(1);
    await atRest(1);
    pool.resize(3);
    await atRest(3);
    for (const worker of [...living].slice(0, 3)) worker.die();
    await sleep(1);
    pool.resize(1);
    await atRest(1);
    const already = pool.counts().restarts;
    pool.resize(3);
    await atRest(3);
    const jobs = [work(30), work(30), work(30)];
    await until('all at work', () => pool.counts().busy === 3);
    pool.resize(1);
    expect(pool.counts()).to.include({ total: 1, busy: 3 });
    await Promise.all(jobs);
    await atRest(1);
    expect(pool.counts().restarts).to.equal(already);
  });

  it('has ended all of them when it has stopped, those too that it was just ending', async () => {
    open();
    await atRest(2);
    const worker = (await pool.acquire(never)) as Worker & { die(): void };
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const isEnding = new Promise<void>((begun) =>
      Object.assign(worker, { alive: false, end: () => [begun(), gone][1] }),
    );
    void pool.giveBack(worker);
    await isEnding;
    const stopped = pool.stop().then(() => living.size);
    await sleep(50);
    worker.die();
    resolve();
    expect(await stopped).to.equal(0);
  });

  it('gives one to nobody who has gone or came too late', async () => {
    open({ size: 1 });
    await atRest(1);
    const held = await pool.acquire(never);
    const gone = AbortSignal.timeout(10);
    expect(await pool.acquire(gone).catch((error) => error)).to.equal(gone.reason);
    const waiting = pool.acquire(never).catch((error) => error.reason);
    await pool.giveBack(held);
    await pool.giveBack(await waiting);
    await atRest(1);
    await pool.stop();
    expect(await pool.acquire(never).catch((error) => error.reason)).to.equal('no_worker');
  });
});
