import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { IdIssuer } from '../../cmd/docbuilder/jobs/ids.ts';
import type { JobRecord, OutputRecord } from '../../cmd/docbuilder/jobs/job.ts';
import { JobRegistry } from '../../cmd/docbuilder/jobs/job-registry.ts';
import type { JobStore } from '../../cmd/docbuilder/jobs/job-store.ts';
import type { RateLimiter, Rates } from '../../cmd/docbuilder/jobs/rates.ts';

export const RETENTION_MS = 900_000;

/** The parts that any kind of storage is made from. */
export interface Known {
  directory: string;
  ids: IdIssuer;
  clock: () => number;
  retentionMs: () => number;
}

/** Tests that every store of jobs passes. @param open opens one; a second time, what a process finds that comes later */
export function testJobStore(open: (known: Known) => Promise<JobStore>): void {
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
export function newJob(id: string, now: number): JobRecord {
  return {
    ...{ id, kind: 'convert', status: 'queued', createdAt: now, startedAt: null, finishedAt: null, expiresAt: null },
    ...{ outputs: [], error: null, callback: null, baseUrl: '', timing: { queueMs: 0, engineMs: 0 } },
  };
}

/** Makes a result file, as the engine does. */
export async function result(store: JobStore, fileId: string, jobId: string, text = 'result'): Promise<OutputRecord> {
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
export function testRates(open: (limits: () => Rates) => Promise<Counting>): void {
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
