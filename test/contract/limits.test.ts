import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DocbuilderLimits } from '../../src/common/generated/wire.ts';
import { licensed } from '../support/license.ts';
import { errorOf, startService, type TestService, until } from '../support/service.ts';

const TEXT = Buffer.from('Xin chào\n');

describe('the Community plan', () => {
  const state = { now: Date.parse('2026-11-21T16:58:30Z') };
  let service: TestService;
  before(async () => {
    service = await startService({}, { clock: () => state.now });
  });
  after(() => service.stop());

  const limits = async () => await service.read<DocbuilderLimits>('/v1/limits');
  const post = () => service.call('/v1/convert', { method: 'POST' });

  it('callback_url is forbidden, and such a request is not counted', async () => {
    const response = await service.convert(TEXT, 'a.txt', {
      to: 'pdf',
      async: 'true',
      callback_url: 'https://example.com/',
    });
    expect(response.headers.get('x-ratelimit-remaining')).to.equal('10');
    expect(await errorOf(response)).to.deep.include({
      status: 403,
      code: 'forbidden_feature',
      detail: { feature: 'callback', edition: 'community' },
    });
    expect((await limits()).usage.day.used).to.equal(0);
  });

  it('ten requests a minute, told in headers; bad ones count too', async () => {
    for (let i = 1; i <= 10; i += 1) {
      const response = await post();
      expect(response.status).to.equal(400);
      expect(response.headers.get('x-ratelimit-limit')).to.equal('10');
      expect(response.headers.get('x-ratelimit-remaining')).to.equal(String(10 - i));
      expect(response.headers.get('x-ratelimit-reset')).to.equal(String(Date.parse('2026-11-21T16:59:00Z') / 1000));
      expect(response.headers.get('x-ratelimit-limit-day')).to.equal('200');
      expect(response.headers.get('x-ratelimit-remaining-day')).to.equal(String(200 - i));
    }
    const refused = await post();
    expect(refused.headers.get('retry-after')).to.equal('30');
    expect(await errorOf(refused)).to.deep.include({ status: 429, code: 'rate_limited', detail: { window: 'minute' } });
    expect((await service.call('/v1/formats')).status).to.equal(200);
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
    expect(await errorOf(refused)).to.deep.include({ status: 429, detail: { window: 'day' } });
    expect((await limits()).usage.day).to.deep.equal({
      limit: 200,
      used: 200,
      remaining: 0,
      reset_at: '2026-11-21T17:00:00.000Z',
    });
    state.now += 10_000;
    expect((await post()).status).to.equal(400);
  });
});

describe('a licence', () => {
  it('counts as soon as its file appears, and a worker is not restarted for it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-license-'));
    const environment = await licensed(directory, { conns: 201 });
    const token = environment['SVC_LICENSE_FILE'] ?? '';
    await rm(token);
    const service = await startService({
      ...environment,
      SVC_DOCBUILDER_MAX_FILE_MB: '50',
      SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: '9999',
    });
    const limits = async () => await service.read<DocbuilderLimits>('/v1/limits');
    const { restarts } = service.docbuilder.engine.status().workers;
    try {
      expect((await limits()).edition).to.equal('community');
      await licensed(directory, { conns: 201 });
      const enterprise = await until('the licence counts', async () => {
        const now = await limits();
        return now.edition === 'enterprise' ? now : undefined;
      });
      expect(enterprise.limits).to.include({
        rate_per_minute: 300,
        rate_per_day: null,
        parallel_jobs: 1,
        max_file_mb: 50,
        job_timeout_seconds: 600,
        callback: true,
      });
      expect(enterprise.features).to.include.members(['api_full', 'callback']);
      expect(enterprise.usage.day).to.include({ limit: null, remaining: null });
      const response = await service.convert(TEXT, 'a.txt', { to: 'pdf' });
      expect(response.headers.get('x-ratelimit-limit')).to.equal('300');
      expect(response.headers.get('x-ratelimit-limit-day')).to.equal(null);
      await response.arrayBuffer();
      expect(service.docbuilder.engine.status().workers.restarts).to.equal(restarts);

      await writeFile(token, 'broken');
      await until('the broken token was seen', async () => (await limits()).edition === 'enterprise');
    } finally {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
