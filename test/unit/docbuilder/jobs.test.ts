import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { IdIssuer } from '../../../cmd/docbuilder/jobs/ids.ts';
import type { JobRecord } from '../../../cmd/docbuilder/jobs/job.ts';
import { JobRegistry } from '../../../cmd/docbuilder/jobs/job-registry.ts';
import type { JobStore } from '../../../cmd/docbuilder/jobs/job-store.ts';
import { JobService, type Submission } from '../../../cmd/docbuilder/jobs/jobs.ts';
import { type EffectivePlan, effectivePlan } from '../../../cmd/docbuilder/jobs/limits.ts';
import { JobQueue } from '../../../cmd/docbuilder/jobs/queue.ts';
import type { Run, Work } from '../../../cmd/docbuilder/jobs/work.ts';
import { createFolderJobs } from '../../../cmd/docbuilder/store/folder-jobs.ts';
import { NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { AppError } from '../../../src/common/errors.ts';
import { createLogger } from '../../../src/common/log.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';
import { useFolder } from '../../support/folder.ts';
import { silentLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

const CLIENT_GONE = new AppError('timeout', { scope: 'client_gone' });
const CALLBACK = { async: true, callbackUrl: 'https://example.com/' };

describe('jobs', () => {
  const folder = useFolder('test');
  let directory: string;
  let limits: Partial<EffectivePlan['limits']>;
  let jobs: JobService;
  let registry: JobRegistry;
  let later: JobRegistry;
  let store: JobStore;
  let now: number;
  let called: JobRecord[];
  let logged: string[];
  /** Counted as work is accepted: how often the resources of each were released. */
  let released: number[];

  beforeEach(async () => {
    directory = folder.path;
    [limits, called, logged, released] = [{ callback: true }, [], [], []];
    const plan = (): EffectivePlan => {
      const community = effectivePlan(NO_LICENSE, 1, {});
      return { ...community, limits: { ...community.limits, ...limits } };
    };
    now = Date.now();
    const known = { ids: new IdIssuer(randomBytes(32)), clock: () => now, retentionMs: () => 900_000 };
    store = createFolderJobs(directory, { ...known, log: silentLogger() });
    registry = new JobRegistry({ ...known, store });
    later = new JobRegistry({ ...known, store });
    jobs = new JobService({
      queue: new JobQueue(() => {
        const { parallel_jobs: parallel, max_queued_jobs: limit } = plan().limits;
        return { parallel, capacity: limit, limit };
      }),
      registry,
      store,
      callbacks: { deliver: (job) => void (job.callback && called.push(job)) },
      plan,
      checkUrl: async () => undefined,
      clock: () => now,
      log: createLogger({
        service: 'docbuilder',
        level: 'debug',
        destination: { write: (line) => void logged.push(line) },
      }),
      audit: { record: () => undefined, close: async () => undefined },
    });
  });

  const makeFile: Run = async (_signal, newFile) => {
    const { fileId, path } = await newFile();
    await writeFile(path, 'result');
    return { outputs: [{ fileId, filename: 'a.pdf', format: 'pdf', pages: 1 }], engineMs: 1 };
  };
  /** Settles only when the signal aborts, as a stream or a timer does: with an error of its own. */
  const endless = (signal: AbortSignal) => sleep(60_000, undefined, { signal }) as never;
  const fails = (error: Error) => () => Promise.reject(error);

  function accept(
    steps: { prepare?: (signal: AbortSignal) => Promise<void>; run?: Run } = {},
    submission: Partial<Submission> = {},
  ) {
    const { prepare = async () => undefined, run = makeFile } = steps;
    const index = released.push(0) - 1;
    const work: Work = {
      kind: 'convert',
      prepare: async (signal) => {
        await prepare(signal);
        return run;
      },
    };
    const resources = {
      newPath: () => '/nowhere',
      release: async () => {
        released[index] = (released[index] ?? 0) + 1;
      },
    };
    const clientGone = new AbortController().signal;
    return jobs.accept(work, resources, { async: false, fetches: false, baseUrl: '', clientGone, ...submission });
  }
  const refusal = (accepted: Promise<JobRecord>) => accepted.then(() => undefined).catch((error) => error);
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  it('that fail leave nothing but their record, with no word of an unexpected reason', async () => {
    const job = await accept({
      run: async (...args) => {
        await makeFile(...args);
        throw new Error('at line 3: secret text');
      },
    });
    expect(job).to.deep.include({ status: 'failed', outputs: [] });
    expect(job.error).to.deep.include({ code: 'internal', detail: {} });
    expect(JSON.stringify(job)).to.not.contain('secret');
    expect(await readdir(join(directory, job.id))).to.deep.equal(['job.json']);
  });

  it('that fail for a reason that is nobody’s to know have it in the log', async () => {
    const error = new AppError('download_failed', {}, { cause: new Error('getaddrinfo ENOTFOUND files.example') });
    const { id } = await accept({ prepare: fails(error) }, { async: true, fetches: true });
    await nextTurn();
    await jobs.stop();
    expect((await registry.job(id)).error).to.include({ code: 'download_failed' });
    expect(logged.join('')).to.include('"code":"download_failed"').and.to.include('ENOTFOUND');
  });

  describe('end in time', () => {
    it('when a sync request has waited too long, also for its turn', async () => {
      limits = { sync_timeout_seconds: 0.05 };
      for (const { error } of await Promise.all([accept({ run: endless }), accept({ run: endless })])) {
        expect(error).to.deep.include({ code: 'timeout', detail: { scope: 'sync', limit_seconds: 0.05 } });
      }
      const unprepared = await refusal(accept({ prepare: endless }));
      expect(unprepared).to.deep.include({ code: 'timeout', detail: { scope: 'sync', limit_seconds: 0.05 } });
      expect(released).to.deep.equal([1, 1, 1]);
    });

    it('when what comes before their turn takes too long, before they are accepted and afterwards', async () => {
      limits = { job_timeout_seconds: 0.05, max_queued_jobs: 0 };
      const late = { code: 'timeout', detail: { scope: 'job', limit_seconds: 0.05 } };
      expect(await refusal(accept({ prepare: endless }, { async: true }))).to.deep.include(late);
      const { id } = await accept({ prepare: endless }, { async: true, fetches: true });
      const ended = async () => ((await registry.job(id)).status === 'failed' ? registry.job(id) : undefined);
      expect((await until('the job ends', ended)).error).to.deep.include(late);
      await until('all is released', () => released.join() === '1,1');
      limits = { max_queued_jobs: 0 };
      expect(await accept()).to.include({ status: 'done' });
    });

    it('when their client has gone, whether they wait or run; an async job goes on', async () => {
      limits = { job_timeout_seconds: 0.2 };
      const gone = new AbortController();
      const { id } = await accept({ run: endless }, { async: true, clientGone: gone.signal });
      limits = { parallel_jobs: 2 };
      const running = accept({ run: endless }, { clientGone: gone.signal });
      const waiting = accept({}, { clientGone: gone.signal });
      await nextTurn();
      gone.abort(CLIENT_GONE);
      for (const job of [await running, await waiting]) expect(job.error?.detail).to.include({ scope: 'client_gone' });
      await jobs.stop();
      expect((await registry.job(id)).error?.detail).to.include({ scope: 'job' });
    });
  });

  describe('are not made', () => {
    afterEach(async () => expect(await readdir(directory)).to.deep.equal([]));

    it('when their client goes while they are prepared, or has gone before', async () => {
      const gone = new AbortController();
      const send = (async: boolean) => refusal(accept({ prepare: endless }, { async, clientGone: gone.signal }));
      const sent = [send(false), send(true)];
      await nextTurn();
      gone.abort(CLIENT_GONE);
      for (const error of await Promise.all([...sent, send(false), send(true)])) expect(error).to.equal(CLIENT_GONE);
      expect(released).to.deep.equal([1, 1, 1, 1]);
    });

    it('when they cannot be made known, and leave their place to others', async () => {
      limits = { max_queued_jobs: 0 };
      store.add = fails(new Unavailable(new Error('away')));
      expect(await refusal(accept({}, { async: true }))).to.include({ status: 503 });
      expect(released).to.deep.equal([1]);
      store.add = async () => {};
      expect(await refusal(accept({ run: fails(new AppError('corrupt_source')) }, { async: true }))).to.equal(
        undefined,
      );
      await jobs.stop();
      await rm(directory, { recursive: true });
      await mkdir(directory);
    });

    it('when the service stops while they are prepared, or has stopped', async () => {
      const asked = [false, true].map((async) => refusal(accept({ prepare: endless }, { async })));
      await jobs.stop();
      asked.push(refusal(accept()));
      for (const error of await Promise.all(asked)) {
        expect(error).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'stopping' } });
      }
      expect(released).to.deep.equal([1, 1, 1]);
    });
  });

  it('that were accepted and still fetch when the service stops fail at once, and that is kept', async () => {
    const { id } = await accept({ prepare: endless }, { async: true, fetches: true });
    await jobs.stop();
    expect((await store.read(id))?.error).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'stopping' } });
    expect(released).to.deep.equal([1]);
  });

  it('whose files cannot be removed end all the same, and all else that they held is released', async () => {
    store.release = fails(new Error('EIO'));
    const { id } = await accept({}, { async: true });
    await jobs.answered((await accept()).id);
    await jobs.stop();
    expect((await registry.job(id)).status).to.equal('done');
    expect(released).to.deep.equal([1, 1]);
    expect(logged.filter((line) => line.includes('EIO') && line.includes('"level":"warn"'))).to.have.length(2);
  });

  for (const [end, run] of [
    ['done', makeFile],
    ['failed', fails(new AppError('corrupt_source'))],
  ] as const) {
    it(`that are ${end} show nothing of it before it is stored`, async () => {
      const { save } = store;
      const saving = new Promise<() => void>((begun) => {
        store.save = (job) => new Promise<void>(begun).then(() => save(job));
      });
      const { id } = await accept({ run }, { async: true });
      const goOn = await saving;
      const nothing = { status: 'running', finishedAt: null, expiresAt: null, outputs: [], error: null };
      expect(await registry.job(id)).to.deep.include(nothing);
      goOn();
      await jobs.stop();
      expect(await registry.job(id)).to.have.property('status', end);
    });
  }

  it('that run outlive a sweep, however late it is', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { id } = await accept({ run: (...args) => promise.then(() => makeFile(...args)) }, { async: true });
    now += 10 * 900_000;
    await registry.sweep();
    expect((await registry.job(id)).status).to.equal('running');
    resolve();
    await jobs.stop();
  });

  it('of an earlier run are told from those that end while they are taken over: a callback is sent once', async () => {
    const { id } = await accept({}, CALLBACK);
    await jobs.stop();
    expect(await registry.load()).to.deep.equal([]);
    expect((await later.load()).map((job) => job.id)).to.deep.equal([id]);
    expect(called.map((job) => job.id)).to.deep.equal([id]);
  });

  describe('that cannot be kept', () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    async function unkept() {
      const { save } = store;
      const state = { full: true };
      store.save = (job) => (state.full ? Promise.reject(full) : save(job));
      const { id } = await accept({ run: fails(full) });
      expect((await registry.job(id)).error).to.include({ code: 'pool_unavailable' });
      expect(await store.read(id)).to.equal(undefined);
      return { state, id };
    }

    for (const [what, keep] of [
      ['the next sweep', () => registry.sweep()],
      ['a stop', () => jobs.stop()],
    ] as const) {
      it(`for lack of space are kept by ${what}, once there is some`, async () => {
        const { state, id } = await unkept();
        await registry.sweep();
        expect((await registry.job(id)).status).to.equal('failed');
        state.full = false;
        await keep();
        expect(await store.read(id)).to.deep.include({ id, status: 'failed' });
        expect((await registry.job(id)).status).to.equal('failed');
      });
    }

    it('take no more and more memory: the eldest are forgotten', async () => {
      const { id } = await unkept();
      const job = await registry.job(id);
      for (let count = 0; count < 10_000; count++) registry.holdUnsaved({ ...job, id: registry.newJobId() });
      const error = await registry.job(id).catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 'not_found' });
    });

    it('nor even removed end all the same, and are forgotten when they expire', async () => {
      store.discard = fails(new Error('EIO'));
      const { id } = await accept({ run: fails(new AppError('corrupt_source')) });
      expect(await registry.job(id)).to.have.property('status', 'failed');
      now += 900_000;
      expect(await registry.job(id).catch((thrown) => thrown)).to.have.property('code', 'gone');
    });
  });
});
