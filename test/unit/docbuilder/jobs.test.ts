import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Intake } from '../../../cmd/docbuilder/jobs/intake.ts';
import type { JobRecord } from '../../../cmd/docbuilder/jobs/job.ts';
import { JobRegistry, type JobStore } from '../../../cmd/docbuilder/jobs/job-registry.ts';
import { JobService, type Work } from '../../../cmd/docbuilder/jobs/jobs.ts';
import { type EffectivePlan, effectivePlan } from '../../../cmd/docbuilder/jobs/limits.ts';
import { JobQueue } from '../../../cmd/docbuilder/jobs/queue.ts';
import { createJobStore } from '../../../cmd/docbuilder/store/job-store.ts';
import { NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { AppError } from '../../../src/common/errors.ts';
import { IdIssuer } from '../../../src/common/ids.ts';
import { createLogger } from '../../../src/common/log.ts';
import { silentLogger } from '../../support/logs.ts';

const never = new AbortController().signal;
const request = { async: false, fetches: false, baseUrl: 'http://localhost' };

describe('jobs', () => {
  let directory: string;
  let limits: Partial<EffectivePlan['limits']>;
  let intake: Intake;
  let jobs: JobService;
  let registry: JobRegistry;
  let later: JobRegistry;
  let store: JobStore;
  let now: number;
  let called: JobRecord[];
  let logged: string[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-jobs-'));
    limits = {};
    called = [];
    logged = [];
    const plan = (): EffectivePlan => {
      const community = effectivePlan(NO_LICENSE, 1, {});
      return { ...community, limits: { ...community.limits, ...limits } };
    };
    store = createJobStore(directory, silentLogger());
    now = Date.now();
    const clock = () => now;
    const known = { store, ids: new IdIssuer(randomBytes(32)), clock, retentionMs: () => 900_000 };
    registry = new JobRegistry(known);
    later = new JobRegistry(known);
    jobs = new JobService({
      queue: new JobQueue(() => ({ parallel: plan().limits.parallel_jobs, capacity: plan().limits.max_queued_jobs })),
      registry,
      store,
      callbacks: { deliver: (job) => void called.push(job) },
      limits: () => plan().limits,
      clock,
      log: createLogger({
        service: 'docbuilder',
        level: 'debug',
        destination: { write: (line) => void logged.push(line) },
      }),
      audit: { record: () => undefined, close: async () => undefined },
    });
    intake = new Intake({ jobs, plan, checkUrl: async () => undefined });
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Work that notes what was done with it. */
  function work(steps: Partial<Work> = {}): Work & { disposed: number } {
    const made = {
      kind: 'convert' as const,
      prepare: async () => undefined,
      run: async (_signal: AbortSignal, newFile: () => Promise<{ fileId: string; path: string }>) => {
        const { fileId, path } = await newFile();
        await writeFile(path, 'result');
        const output = { fileId, filename: 'a.pdf', format: 'pdf' as const, pages: 1 };
        return { outputs: [output], engineMs: 1 };
      },
      ...steps,
      disposed: 0,
      dispose: async () => {
        made.disposed += 1;
      },
    };
    return made;
  }

  /** Work that ends only when it is told to. */
  const endless = () =>
    work({
      run: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });

  it('end with their files described, and their temporary files removed', async () => {
    const done = work();
    const job = await intake.accept(done, request, never);
    expect(job).to.include({ status: 'done', error: null });
    expect(job.outputs[0]).to.include({
      size: 6,
      sha256: 'f6a214f7a5fcda0c2cee9660b7fc29f5649e3c68aad48e20e950137c98913a68',
    });
    expect((await registry.file(job.outputs[0]?.fileId ?? '')).output.filename).to.equal('a.pdf');
    expect(done.disposed).to.equal(1);
  });

  it('that fail for a reason that is nobody’s to know have it in the log', async () => {
    const cause = new Error('getaddrinfo ENOTFOUND files.example');
    const failing = work({ prepare: () => Promise.reject(new AppError('download_failed', {}, { cause })) });
    const { id } = await intake.accept(failing, { ...request, async: true, fetches: true }, never);
    await jobs.stop();
    expect((await registry.job(id)).error).to.include({ code: 'download_failed' });
    expect(logged.join('')).to.include('"code":"download_failed"').and.to.include('ENOTFOUND');
  });

  it('that a sync request waits for too long end with timeout, also while they wait for their turn', async () => {
    limits = { sync_timeout_seconds: 0.05 };
    const [running, waiting] = [endless(), endless()];
    const results = await Promise.all([intake.accept(running, request, never), intake.accept(waiting, request, never)]);
    for (const { error } of results) {
      expect(error).to.deep.include({ code: 'timeout', detail: { scope: 'sync', limit_seconds: 0.05 } });
    }
    expect([running.disposed, waiting.disposed]).to.deep.equal([1, 1]);
  });

  it('that run too long end with timeout', async () => {
    limits = { job_timeout_seconds: 0.05 };
    const { error } = await intake.accept(endless(), request, never);
    expect(error).to.deep.include({ code: 'timeout', detail: { scope: 'job', limit_seconds: 0.05 } });
  });

  it('that run too long, or are prepared too long, end with timeout also where what they wait for calls it an abort', async () => {
    limits = { job_timeout_seconds: 0.05 };
    const waits = (signal: AbortSignal) => sleep(60_000, { outputs: [], engineMs: 0 }, { signal });
    const { error } = await intake.accept(work({ run: waits }), request, never);
    expect(error).to.deep.include({ code: 'timeout', detail: { scope: 'job', limit_seconds: 0.05 } });
    limits = { sync_timeout_seconds: 0.05 };
    const prepared = work({ prepare: async (signal) => void (await waits(signal)) });
    const thrown = await intake.accept(prepared, request, never).catch((refused) => refused);
    expect(thrown).to.deep.include({ code: 'timeout', detail: { scope: 'sync', limit_seconds: 0.05 } });
  });

  it('whose client has gone end, whether they wait or run; one that is asked for later goes on', async () => {
    limits = { job_timeout_seconds: 0.2 };
    const gone = new AbortController();
    const asked = { ...request, async: true };
    const { id } = await intake.accept(endless(), asked, gone.signal);
    limits = { job_timeout_seconds: 0.2, parallel_jobs: 2 };
    const running = intake.accept(endless(), request, gone.signal);
    const waiting = intake.accept(work(), request, gone.signal);
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    for (const job of [await running, await waiting]) {
      expect(job.error).to.deep.include({ code: 'timeout', detail: { scope: 'client_gone' } });
    }
    await jobs.stop();
    expect((await registry.job(id)).error?.detail).to.include({ scope: 'job' });
  });

  it('whose client goes while they are prepared, or has gone before, are not made at all', async () => {
    const gone = new AbortController();
    const fetching = work({
      prepare: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const first = intake.accept(fetching, request, gone.signal).catch((thrown) => thrown);
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    const late = work();
    const second = intake.accept(late, request, gone.signal).catch((thrown) => thrown);
    for (const error of [await first, await second]) {
      expect(error).to.deep.include({ code: 'timeout', detail: { scope: 'client_gone' } });
    }
    expect([fetching.disposed, late.disposed]).to.deep.equal([1, 1]);
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('that cannot be prepared are refused before they are jobs, async or not', async () => {
    for (const async of [true, false]) {
      const bad = work({ prepare: () => Promise.reject(new AppError('corrupt_source')) });
      const error = await intake.accept(bad, { ...request, async }, never).catch((thrown) => thrown);
      expect(error).to.have.property('code', 'corrupt_source');
      expect(bad.disposed).to.equal(1);
    }
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('that are still being prepared when the service stops fail at once, and that is kept', async () => {
    const fetching = work({
      prepare: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const { id } = await intake.accept(fetching, { ...request, async: true, fetches: true }, never);
    await jobs.stop();
    expect((await registry.job(id)).error).to.deep.include({
      code: 'pool_unavailable',
      detail: { reason: 'stopping' },
    });
    expect(fetching.disposed).to.equal(1);
  });

  it('that a request waits for while they are prepared fail at once when the service stops, and later ones as well', async () => {
    const fetching = () =>
      work({
        prepare: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      });
    const prepared = [fetching(), fetching(), fetching()] as const;
    const [sync, async, late] = prepared;
    const asked = [intake.accept(sync, request, never), intake.accept(async, { ...request, async: true }, never)];
    await jobs.stop();
    asked.push(intake.accept(late, request, never));
    for (const error of await Promise.all(asked.map((each) => each.catch((thrown) => thrown)))) {
      expect(error).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'stopping' } });
    }
    expect(prepared.map(({ disposed }) => disposed)).to.deep.equal([1, 1, 1]);
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('that fail unexpectedly are internal, without a word of why', async () => {
    const { error } = await intake.accept(
      work({ run: () => Promise.reject(new Error('at line 3: secret text')) }),
      request,
      never,
    );
    expect(error).to.deep.include({ code: 'internal', detail: {} });
    expect(JSON.stringify(error)).to.not.contain('secret');
  });

  it('that cannot even be removed end all the same, and are forgotten when they expire', async () => {
    store.remove = () => Promise.reject(new Error('EIO'));
    const { id } = await intake.accept(
      work({ run: () => Promise.reject(new AppError('corrupt_source')) }),
      request,
      never,
    );
    expect(await registry.job(id)).to.have.property('status', 'failed');
    now += 900_000;
    expect(await registry.job(id).catch((thrown) => thrown)).to.have.property('code', 'gone');
  });

  it('fill the queue: the next is refused and disposed of', async () => {
    limits = { max_queued_jobs: 1, job_timeout_seconds: 0.1 };
    const first = intake.accept(endless(), request, never);
    const second = intake.accept(work(), request, never);
    await new Promise((resolve) => setImmediate(resolve));
    const third = work();
    expect(await intake.accept(third, request, never).catch((thrown) => thrown)).to.have.property('code', 'queue_full');
    expect(third.disposed).to.equal(1);
    await Promise.all([first, second]);
  });

  it('with a callback tell it when they end, whichever way', async () => {
    const submission = { ...request, async: true, callbackUrl: 'https://example.com/' };
    await intake.accept(work(), submission, never);
    await intake.accept(work({ run: () => Promise.reject(new AppError('corrupt_source')) }), submission, never);
    await jobs.stop();
    expect(called.map(({ status }) => status)).to.have.members(['done', 'failed']);
    expect(called[0]?.callback).to.include({ state: 'pending', attempts: 0 });
  });

  it('of an earlier run are known again; what never ended is removed', async () => {
    const job = await intake.accept(work(), request, never);
    await rm(join(directory, job.id, 'job.json'));
    const kept = await intake.accept(work(), request, never);
    await later.load();
    expect(await readdir(directory)).to.deep.equal([kept.id]);
  });

  it('that end while those of an earlier run are taken over are not taken for such: their callback is sent once', async () => {
    const submission = { ...request, async: true, callbackUrl: 'https://example.com/' };
    const { id } = await intake.accept(work(), submission, never);
    await jobs.stop();
    expect(await registry.load()).to.deep.equal([]);
    expect((await later.load()).map((job) => job.id)).to.deep.equal([id]);
    expect(called.map((job) => job.id)).to.deep.equal([id]);
  });
});
