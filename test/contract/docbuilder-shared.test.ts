import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { DocbuilderLimits, DocbuilderStatus, Job } from '../../src/common/generated/wire.ts';
import { callbackReceiver } from '../support/gate-receiver.ts';
import type { ServiceProcess } from '../support/process.ts';
import { convert, get, jobThat, startShared } from '../support/replicas.ts';
import { readError, until } from '../support/service.ts';
import { slowSheet } from '../support/slow-sheet.ts';
import { useStarted } from '../support/use-started.ts';

const TEXT = Buffer.from('Xin chào\n');

describe('DocBuilders that share a database and a bucket', function () {
  this.timeout(180_000);
  const replicas = useStarted(startShared, ({ dispose }) => dispose());
  let one: ServiceProcess;
  let two: ServiceProcess;
  before(async () => {
    [one, two] = await Promise.all([replicas.start(), replicas.start()]);
    await until('they know one another', async () => (await limits(one)).limits.parallel_jobs === 2 || undefined);
    await until('they know one another', async () => (await limits(two)).limits.parallel_jobs === 2 || undefined);
  });

  const limits = async ({ url }: ServiceProcess) => (await (await get(url, '/v1/limits')).json()) as DocbuilderLimits;
  const status = async ({ url }: ServiceProcess) => (await (await get(url, '/v1/status')).json()) as DocbuilderStatus;
  const accepted = async (response: Response) => (await response.json()) as Job;
  const isEnded = ({ status: is }: Job) => is === 'done' || is === 'failed';

  it('answer for the jobs and files of one another, with ranges', async () => {
    const { id } = await accepted(await convert(one.url, TEXT, { to: 'txt', async: 'true' }));
    expect((await get(two.url, `/v1/jobs/${id}`)).status).to.equal(200);
    const job = await jobThat(two.url, id, isEnded);
    expect(job.status).to.equal('done');
    const path = new URL(job.outputs[0]?.url ?? '').pathname;
    for (const { url } of [one, two]) {
      expect(Buffer.from(await (await get(url, path)).arrayBuffer()).includes('Xin chào')).to.equal(true);
      const part = await get(url, path, { Range: 'bytes=-4' });
      expect([part.status, (await part.arrayBuffer()).byteLength]).to.deep.equal([206, 4]);
      expect((await get(url, path, { Range: 'bytes=9999-' })).status).to.equal(416);
    }
    expect(await replicas.s3.files()).to.include(`jobs/${id}/${job.outputs[0]?.file_id}`);
    const sync = await convert(two.url, TEXT, { to: 'txt' });
    expect(await sync.text()).to.include('Xin chào');
    expect((await get(one.url, `/v1/jobs/${sync.headers.get('x-svc-job-id')}`)).status).to.equal(200);
    expect(await readError(await get(one.url, '/v1/jobs/job_000000000000000000000000'))).to.include({ status: 404 });
  });

  it('have the instance’s limits and figures in common', async () => {
    const before = (await limits(one)).usage.minute.used;
    for (const { url } of [one, two, one]) expect((await convert(url, TEXT, { to: 'xyz' })).status).to.equal(415);
    const used = [(await limits(one)).usage.minute.used, (await limits(two)).usage.minute.used];
    // A minute may have passed meanwhile.
    expect(used[0])
      .to.equal(used[1])
      .and.to.be.oneOf([before + 3, 3, 2, 1]);
    expect((await status(two)).workers).to.include({ total: 2 });
    expect((await limits(two)).limits.max_queued_jobs).to.equal(1000);
  });

  it('finish what runs while the database is away, refuse what is new at once, and write it down afterwards', async () => {
    const { id } = await accepted(await convert(one.url, slowSheet(12), { to: 'csv', async: 'true' }));
    await jobThat(two.url, id, ({ status: is }) => is === 'running');
    await replicas.postgres.kill();
    try {
      for (const { url } of [one, two]) {
        await until('new work is refused', async () => {
          const began = Date.now();
          const response = await convert(url, TEXT, { to: 'txt' });
          expect(Date.now() - began).to.be.below(5_000);
          if (response.status !== 503) return undefined;
          expect(response.headers.get('retry-after')).to.equal('5');
          const refusal = { status: 503, code: 'pool_unavailable', detail: { reason: 'storage_unavailable' } };
          expect(await readError(response)).to.deep.equal(refusal);
          return true;
        });
        expect((await get(url, '/v1/status')).status).to.equal(200);
        expect((await get(url, '/v1/limits')).status).to.equal(503);
      }
      expect((await get(two.url, `/v1/jobs/${id}`)).status).to.equal(503);
      const job = await jobThat(one.url, id, isEnded, 90_000);
      expect(job.error).to.equal(null);
      const path = new URL(job.outputs[0]?.url ?? '').pathname;
      expect((await get(one.url, path)).status).to.equal(200);
    } finally {
      await replicas.postgres.start();
    }
    const job = await jobThat(two.url, id, isEnded);
    expect((await get(two.url, new URL(job.outputs[0]?.url ?? '').pathname)).status).to.equal(200);
    for (const { url } of [one, two])
      await until('new work is taken', async () => (await convert(url, TEXT, { to: 'txt' })).ok || undefined);
  });

  /** Sends work that takes longer than any test to the first one. */
  const sendSlow = async (fields = {}) => {
    const job = await accepted(await convert(one.url, slowSheet(), { to: 'pdf', async: 'true', ...fields }));
    slow.push(job.id);
    return job.id;
  };
  const slow: string[] = [];
  const slowOnes = () => Promise.all(slow.map(async (id) => accepted(await get(two.url, `/v1/jobs/${id}`))));

  it('run at the same time what came to one of them', async () => {
    await jobThat(one.url, await sendSlow(), ({ status: is }) => is === 'running');
    await until('both run', async () => {
      const jobs = await slowOnes();
      if (jobs.filter(({ status: is }) => is === 'running').length === 2) return true;
      // It is passed on once the other has been free for a second, and waits where it is until then.
      await sendSlow();
      await sleep(1_000);
      return undefined;
    });
    await until('figures tell', async () => (await status(one)).queue.running === 2 || undefined);
  });

  it('standing still for too long: its jobs have failed, and when it is back it runs none of them', async () => {
    const [id = ''] = slow;
    await sendSlow();
    one.child.kill('SIGSTOP');
    try {
      await jobThat(two.url, id, isEnded, 30_000);
    } finally {
      one.child.kill('SIGCONT');
    }
    await until('it is back', async () => (await limits(two)).limits.parallel_jobs === 2 || undefined);
    expect(await jobThat(one.url, id, () => true)).to.deep.include({ status: 'failed', outputs: [] });
    // The other one's.
    const isLeft = ({ queue }: DocbuilderStatus) => queue.running === 1 && queue.queued === 0;
    await until('it has given up all of them', async () => isLeft(await status(one)), 20_000);
  });

  it('killed in the middle of jobs: others say so at once, and their callbacks go out', async () => {
    const receiver = await callbackReceiver(() => 204);
    try {
      const called = [await sendSlow({ callback_url: receiver.url }), await sendSlow({ callback_url: receiver.url })];
      await until('one of them runs', async () => (await status(one)).queue.queued === 1 || undefined);
      // Nothing that waits is passed on to one that comes later.
      const three = await replicas.start();
      const killedAt = Date.now();
      for (const { child } of [one, two]) child.kill('SIGKILL');
      for (const id of slow) {
        const job = await jobThat(three.url, id, isEnded, 30_000);
        expect(job).to.deep.include({ status: 'failed', outputs: [] });
        expect(job.error).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'stopping' } });
      }
      expect(Date.now() - killedAt).to.be.below(30_000);
      await until('all callbacks', () => receiver.arrived.length >= called.length || undefined);
      const events = receiver.arrived.map(({ headers, raw }) => `${headers['x-svc-event']} ${JSON.parse(raw).job.id}`);
      expect(events).to.have.members(called.map((id) => `job.failed ${id}`));
      expect((await status(three)).workers.total).to.equal(1);
    } finally {
      await receiver.stop();
    }
  });
});
