import { rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { DocbuilderLimits, DocbuilderStatus } from '../../src/common/generated/wire.ts';
import { useFolder } from '../support/folder.ts';
import { licensed } from '../support/license.ts';
import { readError, startService, until, useService } from '../support/service.ts';
import { slowSheet } from '../support/slow-sheet.ts';

const TEXT = Buffer.from('Xin chào\n');

describe('the Community plan', () => {
  const state = { now: Date.parse('2026-11-21T16:58:30Z') };
  const service = useService(() => startService({}, { clock: () => state.now }));

  const limits = async () => await service.read<DocbuilderLimits>('/v1/limits');
  const post = (path = 'convert') => service.call(`/v1/${path}`, { method: 'POST' });

  it('callback_url is forbidden, and such a request is not counted', async () => {
    const fields = { to: 'pdf', async: 'true', callback_url: 'https://example.com/' };
    const response = await service.convert(TEXT, 'a.txt', fields);
    expect(response.headers.get('x-ratelimit-remaining')).to.equal('10');
    expect(await readError(response)).to.deep.equal({
      ...{ status: 403, code: 'forbidden_feature' },
      detail: { feature: 'callback', edition: 'community' },
    });
    expect((await limits()).usage.day.used).to.equal(0);
  });

  it('ten requests a minute, told in headers; bad ones count too, and those without a key do not', async () => {
    const anonymous = await fetch(`${service.url}/v1/convert`, { method: 'POST' });
    expect(await readError(anonymous)).to.include({ status: 401 });
    expect(anonymous.headers.get('x-ratelimit-limit')).to.equal(null);
    for (let i = 1; i <= 10; i += 1) {
      const response = await post();
      expect(response.status).to.equal(400);
      for (const [name, value] of [
        ['limit', 10],
        ['remaining', 10 - i],
        ['reset', Date.parse('2026-11-21T16:59:00Z') / 1000],
        ['limit-day', 200],
        ['remaining-day', 200 - i],
      ] as const) {
        expect(response.headers.get(`x-ratelimit-${name}`), name).to.equal(String(value));
      }
    }
    const refused = await post();
    expect(refused.headers.get('retry-after')).to.equal('30');
    expect(await readError(refused)).to.deep.include({
      status: 429,
      code: 'rate_limited',
      detail: { window: 'minute' },
    });
    expect((await service.call('/v1/formats')).status).to.equal(200);
    // Trying again later would not help.
    const notInPlan = await post('template/render');
    expect(notInPlan.headers.get('retry-after')).to.equal(null);
    expect(await readError(notInPlan)).to.include({ status: 403, code: 'forbidden_feature' });
  });

  it('two hundred a day, until midnight in Vietnam', async () => {
    state.now = Date.parse('2026-11-21T16:40:00Z');
    for (let i = 10; i < 200; i += 1) {
      if (i % 10 === 0) state.now += 60_000;
      expect((await post()).status).to.equal(400);
    }
    state.now = Date.parse('2026-11-21T16:59:50Z');
    const refused = await post();
    expect(refused.headers.get('retry-after')).to.equal('10');
    expect(await readError(refused)).to.deep.include({ status: 429, detail: { window: 'day' } });
    const midnight = { reset_at: '2026-11-21T17:00:00.000Z' };
    expect((await limits()).usage.day).to.deep.equal({ limit: 200, used: 200, remaining: 0, ...midnight });
    state.now += 10_000;
    expect((await post()).status).to.equal(400);
  });
});

describe('a licence', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const service = useService(async () => {
    const environment = await licensed(folder.path, { conns: 201 });
    await rm(environment['SVC_LICENSE_FILE'] ?? '');
    await writeFile(folder.at('workers'), '1');
    return startService({
      ...environment,
      ...{ SVC_DOCBUILDER_MAX_FILE_MB: '50', SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: '9999' },
      SVC_DOCBUILDER_WORKERS_FILE: folder.at('workers'),
    });
  });

  const limits = async () => await service.read<DocbuilderLimits>('/v1/limits');
  const status = async () => await service.read<DocbuilderStatus>('/v1/status');
  const rotate = async (conns: number, workers: number) => {
    await licensed(folder.path, { conns });
    await writeFile(folder.at('workers'), String(workers));
    await until(`${workers} workers`, async () => {
      const { total, idle, busy } = (await status()).workers;
      return total === workers && idle + busy === workers;
    });
    const rate = Math.ceil(conns / 50) * 60;
    await until('its limits', async () => (await limits()).limits.rate_per_minute === rate);
    expect((await limits()).limits).to.include({ parallel_jobs: workers });
  };

  it('counts as soon as its file appears', async () => {
    expect((await limits()).edition).to.equal('community');
    await licensed(folder.path, { conns: 201 });
    const enterprise = await until('the licence counts', async () => {
      const now = await limits();
      return now.edition === 'enterprise' ? now : undefined;
    });
    expect(enterprise.limits).to.include({
      ...{ rate_per_minute: 300, rate_per_day: null, parallel_jobs: 1 },
      ...{ max_file_mb: 50, job_timeout_seconds: 600, callback: true },
    });
    expect(enterprise.features).to.include.members(['api_full', 'callback']);
    expect(enterprise.usage.day).to.include({ limit: null, remaining: null });
    const response = await service.convert(TEXT, 'a.txt', { to: 'pdf' });
    expect(response.headers.get('x-ratelimit-limit')).to.equal('300');
    expect(response.headers.get('x-ratelimit-limit-day')).to.equal(null);
    await response.arrayBuffer();
  });

  it('may be another one with more or fewer workers, under load: no request fails, no worker is lost', async () => {
    const ended = new AbortController();
    const answers: number[] = [];
    const clients = Array.from({ length: 3 }, async () => {
      while (!ended.signal.aborted) {
        // Some pages: with less, they would send more than 300 a minute.
        const answer = await service.convert(Buffer.alloc(20_000, TEXT), 'a.txt', { to: 'pdf' });
        await answer.arrayBuffer();
        answers.push(answer.status);
      }
    });
    const working = (more: number) => {
      const before = answers.length;
      return until(`${more} more answers`, () => answers.length >= before + more);
    };
    try {
      await working(2);
      await rotate(400, 2);
      await working(4);
      await rotate(300, 1);
      await working(2);
    } finally {
      ended.abort();
      await Promise.all(clients);
    }
    expect(answers.filter((code) => code !== 200)).to.deep.equal([]);
    expect((await status()).workers).to.include({ restarts: 0 });
  });

  it('lets what waits have its turn as soon as there are more workers, and outlives a broken token', async () => {
    const slow = slowSheet(12);
    const jobs = await Promise.all([1, 2].map(() => service.convert(slow, 'a.fods', { to: 'xlsx', async: 'true' })));
    expect(jobs.map((answer) => answer.status)).to.deep.equal([202, 202]);
    await until('one runs', async () => (await status()).queue.running === 1);
    await writeFile(folder.at('workers'), '2');
    await until('both run', async () => (await status()).queue.running === 2);
    await writeFile(folder.at('license.jwt'), 'broken');
    await until('the broken token was seen', async () => (await limits()).edition === 'enterprise');
  });
});
