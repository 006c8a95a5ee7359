import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { JobRegistry, type JobStore } from '../../../cmd/docbuilder/jobs/job-registry.ts';
import { JobService, type Work } from '../../../cmd/docbuilder/jobs/jobs.ts';
import { effectivePlan } from '../../../cmd/docbuilder/jobs/limits.ts';
import { JobQueue } from '../../../cmd/docbuilder/jobs/queue.ts';
import { createJobStore } from '../../../cmd/docbuilder/store/job-store.ts';
import { NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { AppError } from '../../../src/common/errors.ts';
import { IdIssuer } from '../../../src/common/ids.ts';
import { silentLogger } from '../../support/logs.ts';

const never = new AbortController().signal;
const OUTPUT = { filename: 'a.pdf', format: 'pdf' as const, pages: 1 };

describe('jobs, at their end', () => {
  let directory: string;
  let store: JobStore;
  let registry: JobRegistry;
  let jobs: JobService;
  const queue = () => new JobQueue(() => ({ parallel: 1, capacity: 10 }));

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-jobs-'));
    store = { ...createJobStore(directory, silentLogger()) };
    const ids = new IdIssuer(randomBytes(32));
    registry = new JobRegistry({ store, ids, clock: Date.now, retentionMs: () => 900_000 });
    jobs = new JobService({
      ...{ queue: queue(), registry, store, clock: Date.now, log: silentLogger() },
      callbacks: { deliver: () => undefined },
      limits: () => effectivePlan(NO_LICENSE, 1, {}).limits,
      audit: { record: () => undefined, close: async () => undefined },
    });
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Work that makes a file and then ends as told. */
  const work = (end: () => Promise<void>): Work => ({
    kind: 'convert',
    prepare: async () => undefined,
    run: async (_signal, newFile) => {
      const { fileId, path } = await newFile();
      await writeFile(path, 'result');
      await end();
      return { outputs: [{ ...OUTPUT, fileId }], engineMs: 1 };
    },
    dispose: async () => undefined,
  });

  it('have nothing but their record on disk when they failed', async () => {
    const failing = work(() => Promise.reject(new AppError('corrupt_source')));
    const { job, ended } = await jobs.submit(failing, { baseUrl: '' });
    await ended;
    expect(job).to.deep.include({ status: 'failed', outputs: [] });
    expect(await readdir(join(directory, job.id))).to.deep.equal(['job.json']);
  });

  it('are done once that is kept, and not before', async () => {
    const [saving, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { save } = store;
    store.save = async (job) => {
      saving.resolve();
      await goOn.promise;
      await save(job);
    };
    const { job, ended } = await jobs.submit(
      work(async () => undefined),
      { baseUrl: '' },
    );
    await saving.promise;
    expect((await registry.job(job.id)).status).to.equal('running');
    goOn.resolve();
    await ended;
    expect((await registry.job(job.id)).status).to.equal('done');
    expect((await store.read(job.id))?.status).to.equal('done');
  });

  describe('on a full disk', () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    async function unkept() {
      const { save } = store;
      const state = { full: true };
      store.save = (job) => (state.full ? Promise.reject(full) : save(job));
      const { job, ended } = await jobs.submit(
        work(() => Promise.reject(full)),
        { baseUrl: '' },
      );
      await ended;
      expect((await registry.job(job.id)).error).to.include({ code: 'pool_unavailable' });
      expect(await store.read(job.id)).to.equal(undefined);
      return { state, id: job.id };
    }

    for (const [what, keep] of [
      ['the next sweep', () => registry.sweep()],
      ['a stop', () => jobs.stop()],
    ] as const) {
      it(`are kept by ${what}, once there is space`, async () => {
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
      for (let count = 0; count < 10_000; count++) registry.keepLater({ ...job, id: registry.newJobId() });
      const error = await registry.job(id).catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 'not_found' });
    });
  });

  it('do not begin once the queue is closed, though they had their place', async () => {
    const closing = queue();
    const ticket = closing.reserve();
    await closing.close();
    const error = await ticket.run(async () => 'ran', { signal: never }).catch((thrown: unknown) => thrown);
    expect(error).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'stopping' } });
  });
});
