import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import pg from 'pg';
import type { Config } from '../../../cmd/docbuilder/config.ts';
import { IdIssuer } from '../../../cmd/docbuilder/jobs/ids.ts';
import type { JobRecord, OutputRecord } from '../../../cmd/docbuilder/jobs/job.ts';
import { JobRegistry } from '../../../cmd/docbuilder/jobs/job-registry.ts';
import type { JobStore } from '../../../cmd/docbuilder/jobs/job-store.ts';
import { createRateLimiter, type RateLimiter, type Rates } from '../../../cmd/docbuilder/jobs/rates.ts';
import { openShared } from '../../../cmd/docbuilder/shared-storage.ts';
import type { DataDir } from '../../../cmd/docbuilder/store/data-dir.ts';
import { createFolderJobs } from '../../../cmd/docbuilder/store/folder-jobs.ts';
import { type Database, openDatabase, sharedKey } from '../../../cmd/docbuilder/store/shared/database.ts';
import { JobRows } from '../../../cmd/docbuilder/store/shared/job-rows.ts';
import { SharedJobs } from '../../../cmd/docbuilder/store/shared/jobs.ts';
import { createSharedRates } from '../../../cmd/docbuilder/store/shared/rates.ts';
import { Replicas } from '../../../cmd/docbuilder/store/shared/replicas.ts';
import { openResults, type Results } from '../../../cmd/docbuilder/store/shared/results.ts';
import { TIMINGS } from '../../../src/common/s3/client.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';
import { useFolder } from '../../support/folder.ts';
import { silentLogger } from '../../support/logs.ts';
import { usePostgres } from '../../support/postgres.ts';
import { useS3Server } from '../../support/s3-server.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const RETENTION_MS = 900_000;
const onLost = () => {};

/** The parts that any kind of storage is made from. */
interface Known {
  directory: string;
  ids: IdIssuer;
  clock: () => number;
  retentionMs: () => number;
}

/** Tests that every store of jobs passes. @param open opens one; a second time, what a process finds that comes later */
function testJobStore(open: (known: Known) => Promise<JobStore>): void {
  let known: Known;
  let now: number;
  let store: JobStore;
  let registry: JobRegistry;

  beforeEach(async () => {
    now = Date.now();
    const directory = await mkdtemp(join(tmpdir(), 'svc-store-'));
    known = { directory, ids: new IdIssuer(randomBytes(32)), clock: () => now, retentionMs: () => RETENTION_MS };
    store = await open(known);
    registry = new JobRegistry({ ...known, store });
  });
  afterEach(() => rm(known.directory, { recursive: true }));

  /** A job that ends now. */
  async function ended(more: Partial<JobRecord> = {}): Promise<JobRecord> {
    const job = newJob(registry.newJobId(), now);
    const output = await result(store, registry.fileId(job.id, 0), job.id);
    return { ...job, status: 'done', finishedAt: now, expiresAt: now + RETENTION_MS, outputs: [output], ...more };
  }

  it('keeps what ended, with its files and any text in it', async () => {
    const job = await ended();
    for (const output of job.outputs) output.filename = 'Đơn\u0000\ud800.pdf';
    expect(await store.save(job)).to.deep.equal(job);
    expect(await store.read(job.id)).to.deep.equal(job);
    expect(await store.read(registry.newJobId())).to.equal(undefined);
  });

  it('reads a file, also a part of it, before the answer was sent and afterwards', async () => {
    const job = await ended();
    await store.save(job);
    const { read } = await registry.file(job.outputs[0]?.fileId ?? '');
    expect((await buffer(read())).toString()).to.equal('result');
    await store.release(job.id);
    const later = await registry.file(job.outputs[0]?.fileId ?? '');
    expect((await buffer(later.read())).toString()).to.equal('result');
    expect((await buffer(later.read({ start: 1, end: 2 }))).toString()).to.equal('es');
  });

  it('removes what is past its retention, and only that', async () => {
    const [old, young] = [await ended(), await ended({ expiresAt: now + 2 * RETENTION_MS })];
    for (const job of [old, young]) {
      await store.save(job);
      await store.release(job.id);
    }
    now += RETENTION_MS;
    await registry.sweep();
    expect(await store.read(old.id)).to.equal(undefined);
    expect(await store.read(young.id)).to.include({ status: 'done' });
    const error = await buffer(store.content(old.id, old.outputs[0] as OutputRecord)()).catch((thrown) => thrown);
    expect(error).to.include({ code: 'ENOENT' });
    expect((await buffer(store.content(young.id, young.outputs[0] as OutputRecord)())).toString()).to.equal('result');
  });

  it('sends the callback of what it has saved, and keeps how far it is', async () => {
    const callback = {
      url: 'https://example.com/',
      deliveryId: 'd',
      attempts: 0,
      lastStatus: null,
      nextAttemptAt: now,
    };
    const job = await ended({ callback: { ...callback, state: 'pending' } });
    await store.save(job);
    expect(await store.ownsCallback(job)).to.equal(true);
    await store.update({ ...job, callback: { ...callback, state: 'delivered', attempts: 1 } });
    expect((await store.read(job.id))?.callback).to.include({ state: 'delivered', attempts: 1 });
  });

  it('leaves nothing of a run that has to begin anew', async () => {
    const job = await ended();
    await store.discard(job.id);
    const again = await result(store, registry.fileId(job.id, 0), job.id, 'other');
    await store.save({ ...job, outputs: [again] });
    expect((await buffer(store.content(job.id, again)())).toString()).to.equal('other');
  });
}

/** A job that has just been accepted. */
function newJob(id: string, now: number): JobRecord {
  return {
    ...{ id, kind: 'convert', status: 'queued', createdAt: now, startedAt: null, finishedAt: null, expiresAt: null },
    ...{ outputs: [], error: null, callback: null, baseUrl: '', timing: { queueMs: 0, engineMs: 0 } },
  };
}

/** Makes a result file, as the engine does. */
async function result(store: JobStore, fileId: string, jobId: string, text = 'result'): Promise<OutputRecord> {
  await writeFile(await store.createFile(jobId, fileId), text);
  const facts = { fileId, filename: 'a.pdf', format: 'pdf', contentType: 'application/pdf', pages: 1 } as const;
  return { ...facts, ...(await store.describe(jobId, fileId)) };
}

/** One that counts, and time that passes for it. */
interface Counting {
  rates: RateLimiter;
  passes(ms: number): Promise<void>;
}

/** Tests that whatever counts requests passes. */
function testRates(open: (limits: () => Rates) => Promise<Counting>): void {
  const limits = { minute: 3, day: 5 as number | null };
  let counting: Counting;
  beforeEach(async () => {
    Object.assign(limits, { minute: 3, day: 5 });
    counting = await open(() => limits);
  });
  const refusal = () =>
    counting.rates.take().then(
      () => undefined,
      (error) => error.detail.window,
    );

  it('counts up to the limit of a minute, at the same time too, and then of a day', async () => {
    const taken = await Promise.allSettled(Array.from({ length: 9 }, () => counting.rates.take()));
    expect(taken.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
    expect(await refusal()).to.equal('minute');
    const { minute, day } = await counting.rates.usage();
    expect([minute.used, minute.remaining, day.used, day.remaining]).to.deep.equal([3, 0, 3, 2]);
    await counting.passes(60_000);
    expect((await counting.rates.take()).usage.minute).to.include({ used: 1, remaining: 2 });
    await counting.rates.take();
    expect(await refusal()).to.equal('day');
    await counting.passes(86_400_000);
    expect((await counting.rates.take()).usage.day).to.include({ used: 1, remaining: 4 });
  });

  it('knows no limit of a day where there is none', async () => {
    limits.day = null;
    expect((await counting.rates.take()).usage.day).to.include({ limit: null, used: 1, remaining: null });
  });

  it('takes a request back', async () => {
    await counting.rates.take();
    const { refund } = await counting.rates.take();
    expect(refund().minute).to.include({ used: 1, remaining: 2 });
    for (const deadline = Date.now() + 5_000; (await counting.rates.usage()).minute.used !== 1; )
      expect(Date.now()).to.be.below(deadline);
    expect((await counting.rates.usage()).day.used).to.equal(1);
  });
}

const log = silentLogger();
const LOAD = {
  ...{ workers: { total: 1, idle: 1, busy: 0, restarts: 0 }, running: 0, queued: 0, free: 1, room: 11 },
  leaving: false,
};

describe('the storage of one DocBuilder', () => {
  describe('keeps jobs in a folder:', () => {
    testJobStore(async ({ directory, ...known }) => createFolderJobs(directory, { ...known, log }));

    const folder = useFolder();
    it('removes no job whose record cannot be read at the moment, and goes on with the others', async () => {
      const ids = new IdIssuer(randomBytes(32));
      const options = { ids, clock: () => Date.now() + 2 * RETENTION_MS, retentionMs: () => RETENTION_MS, log };
      const store = createFolderJobs(folder.path, options);
      const [unreadable, expired] = [newJob(ids.issue('job', 0), 0), newJob(ids.issue('job', 0), 0)];
      for (const { id } of [unreadable, expired]) await result(store, ids.sibling(id, 'file'), id);
      // To read it is ELOOP.
      await symlink('job.json', await store.createFile(unreadable.id, 'job.json'));
      for (const remove of [() => store.takeOver(() => false), () => store.sweep(() => false)]) {
        await remove();
        expect(await readdir(folder.path)).to.deep.equal([unreadable.id]);
      }
      expect(await store.read(unreadable.id).catch((error) => error)).to.include({ code: 'ELOOP' });
    });
  });
  describe('counts requests in memory:', () => {
    testRates(async (limits) => {
      let now = Date.parse('2026-11-21T10:00:00Z');
      const passes = async (ms: number) => {
        now += ms;
      };
      return { rates: createRateLimiter(limits, () => now), passes };
    });
  });
});

describe('the storage of several DocBuilders', function () {
  this.timeout(60_000);
  const s3 = useS3Server();
  const postgres = usePostgres();
  const folder = useFolder('test');
  let database: Database;
  let url: string;
  let results: Results;
  beforeEach(async () => {
    url = await postgres.create();
    database = await openDatabase(url);
    results = await openResults({ ...s3.settings, timings: { ...TIMINGS, idleMs: 1_000, requestMs: 1_500 } }, log);
  });
  afterEach(() => database.close());

  /** Makes the parts of storage that replicas have in common. */
  const makeKnown = (clock = Date.now): Known => {
    return { directory: folder.path, ids: new IdIssuer(randomBytes(32)), clock, retentionMs: () => RETENTION_MS };
  };

  /** The jobs of one replica, which beats when a test asks. */
  async function member(known: Known, now?: () => number) {
    const { query } = database;
    const replicas = new Replicas(query, '127.0.0.1:1', now);
    await replicas.join(() => LOAD);
    const rows = new JobRows(query, replicas.id);
    const isConnected = () => replicas.isConnected();
    const directory = join(known.directory, replicas.id);
    return { replicas, rows, store: new SharedJobs(directory, { ...known, rows, results, isConnected, log }) };
  }

  describe('keeps jobs in rows and objects:', () => {
    testJobStore(async (known) => (await member(known)).store);
  });
  describe('counts requests in a row:', () => {
    testRates(async (limits) => {
      // A minute that ends in the middle of a test would be counted anew.
      while (Date.now() % 60_000 > 57_000) await new Promise((resolve) => setTimeout(resolve, 100));
      const back = 'UPDATE docbuilder_rates SET minute_start = minute_start - ?, day_start = day_start - ?';
      const passes = async (ms: number) =>
        void (await database.query(back, [Math.max(ms, 60_000), ms < 86_400_000 ? 0 : ms]));
      return { rates: createSharedRates(database.query, limits), passes };
    });
    it('by the clock of the database: a request that comes late does not bring a window back', async () => {
      const rates = createSharedRates(database.query, () => ({ minute: 2, day: null }));
      await database.query('UPDATE docbuilder_rates SET minute_used = 1, minute_start = ?', [
        Date.now() - (Date.now() % 60_000) + 60_000,
      ]);
      expect((await rates.take()).usage.minute.used).to.equal(2);
      expect(await rates.take().catch((error) => error.code)).to.equal('rate_limited');
    });
    it('and refuses none for a window that ends at that moment', async () => {
      let isOver = false;
      const query: typeof database.query = async (text, values) => {
        const rows = await database.query(text, values);
        if (rows.length === 0 && !isOver) await database.query('UPDATE docbuilder_rates SET minute_start = 0', []);
        isOver ||= rows.length === 0;
        return rows;
      };
      const rates = createSharedRates(query, () => ({ minute: 1, day: null }));
      await rates.take();
      expect((await rates.take()).usage.minute.used).to.equal(1);
      expect(isOver).to.equal(true);
    });
  });

  describe('of which one ends', () => {
    let known: Known;
    let time = 0;
    let one: Awaited<ReturnType<typeof member>>;
    let two: typeof one;
    const clock = { now: Date.now() };
    const at = () => time;
    beforeEach(async () => {
      time = 1_000_000;
      known = makeKnown(() => clock.now);
      [one, two] = [await member(known, at), await member(known, at)];
    });
    const newOne = () => newJob(known.ids.issue('job', clock.now), clock.now);
    /** Beats of one replica during which the other says nothing. */
    async function silence(watcher: Replicas, seconds: number): Promise<void> {
      for (let second = 0; second < seconds; second++) {
        time += 1_000;
        await watcher.beat();
      }
    }
    const pending = { url: 'https://example.com/', deliveryId: 'd-1', state: 'pending', attempts: 1 } as const;
    const callback = { ...pending, lastStatus: 500, nextAttemptAt: 1 };

    it('its jobs fail as at a stop, its callbacks are taken over as they are, and its row goes', async () => {
      const open = { ...newOne(), callback };
      const quiet = newOne();
      const done = { ...newOne(), status: 'done', callback } as const;
      for (const job of [open, quiet]) await one.store.add(job, onLost);
      await one.store.save({ ...done, finishedAt: clock.now, expiresAt: clock.now + 1_000 });

      await silence(two.replicas, 9);
      expect(await two.store.takeOver()).to.deep.equal([]);
      expect(two.replicas.others()[0]).to.include({ free: 0, room: 0 });
      await silence(two.replicas, 1);
      expect(two.replicas.others()).to.deep.equal([]);
      const taken = await two.store.takeOver();
      expect(taken.map(({ id, status }) => [id, status])).to.have.deep.members([
        [open.id, 'failed'],
        [done.id, 'done'],
      ]);
      expect(taken[0]?.callback).to.deep.equal(callback);
      for (const { id } of [open, quiet]) {
        const job = await two.store.read(id);
        expect(job).to.deep.include({ status: 'failed', finishedAt: clock.now, expiresAt: clock.now + RETENTION_MS });
        expect(job?.error).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'stopping' } });
      }
      expect(await two.store.takeOver()).to.deep.equal([]);
      expect([await one.store.ownsCallback(open), await two.store.ownsCallback(open)]).to.deep.equal([false, true]);
    });

    it('takes no longer to take over the more it had to do, and no callback waits for what else is to be written', async () => {
      const [quiet, called] = [newOne(), { ...newOne(), callback }];
      for (const job of [quiet, called]) await one.store.add(job, onLost);
      await one.replicas.leave();
      const { update } = two.rows;
      two.rows.update = () => Promise.reject(new Unavailable(new Error('away')));
      expect((await two.store.takeOver()).map(({ id }) => id)).to.deep.equal([called.id]);
      two.rows.update = update;
      await two.store.flush();
      const ended = await database.query(`SELECT id FROM docbuilder_jobs WHERE state = 'ended'`, []);
      expect(ended).to.deep.equal([[quiet.id]]);
    });

    it('its callbacks are taken over once more where no answer came to the first time', async () => {
      const open = { ...newOne(), callback };
      await one.store.add(open, onLost);
      await one.replicas.leave();
      const takeOver = two.rows.takeOver.bind(two.rows);
      two.rows.takeOver = async (...parameters) => {
        two.rows.takeOver = takeOver;
        await takeOver(...parameters);
        throw new Unavailable(new Error('no answer'));
      };
      expect(await two.store.takeOver().catch((error) => error)).to.be.instanceOf(Unavailable);
      expect((await two.store.takeOver()).map(({ id }) => id)).to.deep.equal([open.id]);
      expect(await two.store.takeOver()).to.deep.equal([]);
    });

    it('only one of the others takes over, though all of them find it at once', async () => {
      const others = [two, await member(known, at), await member(known, at)];
      await one.store.add({ ...newOne(), callback }, onLost);
      await one.replicas.leave();
      const client = new pg.Client(url);
      await client.connect();
      await client.query('BEGIN; SELECT 1 FROM docbuilder_jobs FOR UPDATE');
      const takeOvers = others.map(({ store }) => store.takeOver());
      const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted HAVING count(*) = 3';
      await until('all of them wait for the row', async () => (await postgres.ask(waiting))[0]);
      await client.end();
      expect((await Promise.all(takeOvers)).flat()).to.have.length(1);
    });

    it('and has not: what it ends afterwards stays failed, and its results are removed', async () => {
      const job = newOne();
      await one.store.add(job, onLost);
      await silence(two.replicas, 11);
      await two.store.takeOver();
      const output = await result(one.store, known.ids.sibling(job.id, 'file'), job.id);
      const kept = await one.store.save({ ...job, status: 'done', outputs: [output], finishedAt: 1, expiresAt: 2 });
      expect(kept).to.deep.include({ status: 'failed', outputs: [] });
      expect((await s3.files()).filter((name) => name.includes(job.id))).to.deep.equal([]);
      await one.replicas.beat();
      expect(two.replicas.others()).to.have.length(0);
      await two.replicas.beat();
      expect(two.replicas.others()).to.have.length(1);
      expect([one.replicas.rank(), two.replicas.rank()]).to.deep.equal([1, 0]);
    });

    it('and has not: what it ends afterwards stays failed, also when the job comes back to it, or gone', async () => {
      const [returned, gone] = [{ ...newOne(), callback }, newOne()];
      await one.store.add(gone, onLost);
      await silence(two.replicas, 11);
      await two.store.takeOver();
      await two.store.flush();
      clock.now += RETENTION_MS;
      await two.store.sweep();
      await one.replicas.beat();
      await one.store.add(returned, onLost);
      await silence(two.replicas, 11);
      await two.store.takeOver();
      await one.replicas.beat();
      await two.replicas.leave();
      const taken = await one.store.takeOver();
      expect(taken.map(({ id, status }) => [id, status])).to.deep.equal([[returned.id, 'failed']]);
      for (const delivered of [false, true]) {
        for (const job of [returned, gone]) {
          const output = await result(one.store, known.ids.sibling(job.id, 'file'), job.id);
          const end = { finishedAt: clock.now, expiresAt: clock.now + RETENTION_MS };
          await one.store.save({ ...job, status: 'done', outputs: [output], ...end });
          expect((await s3.files()).filter((name) => name.includes(job.id))).to.deep.equal([]);
        }
        const kept = await one.store.read(returned.id);
        expect(kept).to.deep.include({
          status: 'failed',
          callback: { ...callback, state: delivered ? 'delivered' : 'pending' },
        });
        expect(await one.store.read(gone.id)).to.equal(undefined);
        await one.store.update({ ...(kept as JobRecord), callback: { ...callback, state: 'delivered' } });
      }
    });

    it('and has not: it ends those of its jobs that the others have given up', async () => {
      const lost: string[] = [];
      const [given, returned, kept] = [newOne(), { ...newOne(), callback }, newOne()];
      const add = (job: JobRecord) => one.store.add(job, () => lost.push(job.id));
      for (const job of [given, returned]) await add(job);
      const { joined } = one.replicas;
      await silence(two.replicas, 11);
      await two.store.takeOver();
      await one.replicas.beat();
      expect(one.replicas.joined).to.be.above(joined);
      await two.replicas.leave();
      await one.store.takeOver();
      await add(kept);
      await one.store.endLost();
      expect(lost).to.deep.equal([given.id, returned.id]);
    });

    it('and has not: what it had written keeps its results, though no answer came', async () => {
      const job = { ...newOne(), callback };
      await one.store.add(job, onLost);
      const output = await result(one.store, known.ids.sibling(job.id, 'file'), job.id);
      const end = one.rows.end.bind(one.rows);
      one.rows.end = async (...parameters) => {
        one.rows.end = end;
        await end(...parameters);
        throw new Unavailable(new Error('no answer'));
      };
      await one.store.save({
        ...job,
        status: 'done',
        outputs: [output],
        finishedAt: 1,
        expiresAt: clock.now + RETENTION_MS,
      });
      await silence(two.replicas, 11);
      await two.store.takeOver();
      await one.store.flush();
      expect(await one.store.read(job.id)).to.include({ status: 'done' });
      expect((await s3.files()).filter((name) => name.includes(job.id))).to.have.length(1);
    });

    it('is not believed of one by an observer that was away itself, or found no database', async () => {
      const job = newOne();
      await one.store.add(job, onLost);
      await silence(two.replicas, 5);
      time += 60_000;
      await silence(two.replicas, 5);
      await two.store.takeOver();
      expect(await two.store.read(job.id)).to.include({ status: 'queued' });
      expect(two.replicas.isConnected()).to.equal(true);
      time += 4_000;
      expect(two.replicas.isConnected()).to.equal(false);
    });
  });

  it('tells of jobs that have not ended, of their beginning too', async () => {
    const known = makeKnown();
    const [one, two] = [await member(known), await member(known)];
    const job = newJob(known.ids.issue('job', Date.now()), Date.now());
    await one.store.add(job, onLost);
    expect(await two.store.read(job.id)).to.include({ status: 'queued' });
    one.store.noteProgress(Object.assign(job, { status: 'running' }));
    await one.store.flush();
    expect(await two.store.read(job.id)).to.include({ status: 'running' });
    // It changes again while it is written, and at once where it runs.
    const registry = new JobRegistry({ ...known, store: one.store });
    registry.add(job);
    one.store.noteProgress(Object.assign(job, { status: 'queued' }));
    const flushed = one.store.flush();
    one.store.noteProgress(Object.assign(job, { status: 'running' }));
    expect(await registry.job(job.id)).to.include({ status: 'running' });
    await flushed;
    await one.store.flush();
    expect(await two.store.read(job.id)).to.include({ status: 'running' });
  });

  it('removes the row of a job that was refused, though its insertion took place later than any answer would come', async () => {
    const known = makeKnown();
    const one = await member(known);
    const [refused, young] = [Date.now() - 61_000, Date.now()].map((at) => newJob(known.ids.issue('job', at), at));
    const accepted = newJob(known.ids.issue('job', 0), 0);
    await one.store.add(accepted, onLost);
    for (const job of [refused, young]) await one.rows.add(job as JobRecord);
    await one.store.flush();
    await one.store.sweep();
    expect(await one.rows.open()).to.have.keys([accepted.id, young?.id]);
  });

  it('writes what ended while the bucket was away when it is back, and takes nothing new meanwhile', async () => {
    const known = makeKnown();
    const [one, two] = [await member(known), await member(known)];
    const job = newJob(known.ids.issue('job', Date.now()), Date.now());
    await one.store.add(job, onLost);
    const outputs = [await result(one.store, known.ids.sibling(job.id, 'file'), job.id)];
    const done = { ...job, status: 'done', outputs, finishedAt: Date.now(), expiresAt: Date.now() + 60_000 } as const;
    await s3.kill();
    try {
      expect(await one.store.save(done)).to.deep.equal(done);
      await one.store.release(job.id);
      expect(await one.store.read(job.id)).to.include({ status: 'done' });
      expect(await two.store.read(job.id)).to.include({ status: 'queued' });
      expect(() => one.store.assertReady()).to.throw('pool_unavailable');
      expect(await one.store.ownsCallback(done).catch((error) => error.code)).to.equal('pool_unavailable');
      await one.store.flush();
      expect(() => one.store.assertReady()).to.throw('pool_unavailable');
    } finally {
      await s3.start();
    }
    await one.store.flush();
    one.store.assertReady();
    expect(await two.store.read(job.id)).to.include({ status: 'done' });
    expect(await one.store.ownsCallback(done)).to.equal(true);
  });

  it('says that a job has ended when its results are stored, so that each of the others has them', async () => {
    const known = makeKnown();
    const { store } = await member(known);
    const job = newJob(known.ids.issue('job', Date.now()), Date.now());
    await store.add(job, onLost);
    const outputs = [await result(store, known.ids.sibling(job.id, 'file'), job.id)];
    s3.hang();
    const saved = store.save({
      ...job,
      status: 'done',
      outputs,
      finishedAt: Date.now(),
      expiresAt: Date.now() + 60_000,
    });
    try {
      expect(await store.read(job.id)).to.include({ status: 'queued' });
    } finally {
      s3.resume();
    }
    await saved;
    expect(await store.read(job.id)).to.include({ status: 'done' });

    const lost = newJob(known.ids.issue('job', Date.now()), Date.now());
    await store.add(lost, onLost);
    const end = { finishedAt: Date.now(), expiresAt: Date.now() + 60_000 };
    const error = await store.save({ ...lost, status: 'done', outputs, ...end }).catch((thrown) => thrown);
    expect(error).to.include({ code: 'ENOENT' });
    await store.save({ ...lost, status: 'failed', ...end });
    expect(await store.read(lost.id)).to.include({ status: 'failed' });
  });

  describe('while the bucket hangs', () => {
    const IDLE_MS = 6_000;
    /** Jobs that end while the bucket takes nothing. */
    const unsaved = async (known: Known, store: JobStore, count: number) => {
      const jobs = Array.from({ length: count }, () => newJob(known.ids.issue('job', Date.now()), Date.now()));
      for (const job of jobs) await store.add(job, onLost);
      s3.hang();
      const ended = { status: 'done', finishedAt: Date.now(), expiresAt: Date.now() + 60_000 } as const;
      await Promise.all(
        jobs.map(async (job) => {
          const outputs = [await result(store, known.ids.sibling(job.id, 'file'), job.id)];
          await store.save({ ...job, ...ended, outputs });
        }),
      );
      return jobs;
    };
    afterEach(() => s3.resume());

    it('goes on beating: what it still has to write is not taken over as if it were dead', async () => {
      const options = {
        ...{ config: { listen: { host: '127.0.0.1', port: 1 } } as Config, rates: () => ({ minute: 1, day: null }) },
        ...{ dataDir: { temporary: folder.path } as DataDir, retentionMs: () => RETENTION_MS, clock: Date.now, log },
      };
      const shared = {
        databaseUrl: url,
        s3: { ...s3.settings, timings: { ...TIMINGS, idleMs: IDLE_MS } },
        podIp: undefined,
      };
      const [one, two] = [await openShared(options, shared), await openShared(options, shared)];
      for (const { join } of [one, two]) await join({ load: () => LOAD, takeOver: () => {} });
      const jobs = await unsaved({ ...makeKnown(), ids: one.ids }, one.store, 3);
      const leastBeat = async () => Number((await database.query('SELECT min(beat) FROM docbuilder_replicas', []))[0]);
      const before = await leastBeat();
      await until('longer than any may be silent', async () => (await leastBeat()) > before + 12);
      for (const { id } of jobs) expect(await two.store.read(id)).to.include({ status: 'queued' });
      s3.resume();
      for (const { id } of jobs)
        await until('it is written', async () => (await two.store.read(id))?.status === 'done');
      await Promise.all([one.close(), two.close()]);
    });

    it('tries what is left no further once the first could not be written', async () => {
      const known = makeKnown();
      const { store } = await member(known);
      await unsaved(known, store, 4);
      const began = performance.now();
      await store.flush();
      // Each of the four waits for a second.
      expect(performance.now() - began).to.be.within(900, 3_900);
    });
  });

  it('removes results that a killed DocBuilder left without a row, once they are two days old, and nobody else’s', async () => {
    const known = makeKnown();
    const { ids } = known;
    const { store } = await member(known);
    const [old, young] = [Date.now() - 49 * 3_600_000, Date.now() - 47 * 3_600_000];
    const [mine, recent, kept] = [ids.issue('job', old), ids.issue('job', young), ids.issue('job', old)];
    await store.add(newJob(kept, old), onLost);
    const strange = new IdIssuer(randomBytes(32)).issue('job', old);
    for (const jobId of [mine, recent, kept, strange]) {
      const fileId = ids.sibling(jobId, 'file');
      const path = await store.createFile(jobId, fileId);
      await result(store, fileId, jobId);
      await results.put({ jobId, fileId, path, ...(await store.describe(jobId, fileId)) });
    }
    await store.sweep();
    const left = (await s3.files()).join();
    const ofEach = [mine, recent, kept, strange].map((id) => left.includes(id));
    expect(ofEach).to.deep.equal([false, true, true, true]);
  });

  it('waits for no database that hangs', async () => {
    const proxy = await startTcpProxy(postgres.port);
    const { query, close } = await openDatabase(await postgres.create(proxy.port));
    const replicas = new Replicas(query, '127.0.0.1:1');
    await replicas.join(() => LOAD);
    proxy.blackHole();
    const began = performance.now();
    const errors = await Promise.all([1, 2].map(() => replicas.beat().catch((error) => error)));
    for (const error of errors) expect(error).to.be.instanceOf(Unavailable);
    expect(performance.now() - began).to.be.below(4_500);
    proxy.recover();
    await replicas.beat();
    expect(replicas.isConnected()).to.equal(true);
    await close();
    await proxy.close();
  });

  it('has the same keys for all', async () => {
    const [one, two] = await Promise.all([sharedKey(database.query, 'ids'), sharedKey(database.query, 'ids')]);
    expect(one).to.deep.equal(two).and.to.have.length(32);
    expect(await sharedKey(database.query, 'passing')).to.not.deep.equal(one);
  });

  it('says in words why the database cannot be used', async () => {
    const error = await openDatabase('postgresql://svc@127.0.0.1:1/none').catch((thrown) => thrown);
    expect(error.message).to.match(/^the database cannot be used: .*ECONNREFUSED/);
  });
});
