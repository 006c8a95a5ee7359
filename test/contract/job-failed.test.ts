import { expect } from 'chai';
import type { Job, JobCallback } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { startCanary } from '../support/canary.ts';
import { callbackReceiver } from '../support/gate-receiver.ts';
import { errorOf, startEnterprise, startService, until } from '../support/service.ts';

describe('a job that fails', () => {
  it('is told of as job.failed, with what GET shows of it; unsigned where there is no key', async () => {
    const receiver = await callbackReceiver(() => 200);
    const source = await startCanary((_request, response) => void response.writeHead(404).end());
    const service = await startEnterprise({ SVC_FETCH_ALLOW_HOSTS: '127.0.0.1' });
    try {
      const response = await service.call('/v1/convert', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          ...{ url: `http://127.0.0.1:${source.port}/a.docx`, to: 'pdf', async: true },
          callback_url: receiver.url,
        }),
      });
      expect(response.status).to.equal(202);
      const { id } = (await response.json()) as Job;
      const job = await until('its callback is delivered', async () => {
        const ended = await service.ended(id);
        return ended.callback?.state === 'delivered' ? ended : undefined;
      });
      expect(job).to.deep.include({ status: 'failed', outputs: [] });
      expect(job.error).to.deep.include({ code: 'download_failed', detail: { reason: 'status', status: 404 } });

      const [told, ...more] = receiver.arrived;
      expect(more).to.deep.equal([]);
      expect(told?.headers).to.include({
        ...{ 'content-type': 'application/json; charset=utf-8', 'user-agent': 'SVC-DocBuilder/1.0' },
        'x-svc-event': 'job.failed',
      });
      expect(told?.headers['x-svc-delivery']).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
      );
      expect(Math.abs(Number(told?.headers['x-svc-timestamp']) - Date.now() / 1000)).to.be.below(60);
      expect(told?.headers).to.not.have.property('x-svc-signature');
      const body = JSON.parse(told?.raw ?? '') as JobCallback;
      expect(validator('job-callback.json')(body)).to.have.property('ok', true);
      const { callback: _, ...facts } = job;
      const { callback: __, ...said } = body.job;
      expect({ event: body.event, job: said }).to.deep.equal({ event: 'job.failed', job: facts });
    } finally {
      await Promise.all([receiver.stop(), source.close()]);
      await service.stop();
    }
  });

  it('for want of a worker is pool_unavailable with Retry-After, and not the fault of the document', async () => {
    const service = await startService();
    try {
      await service.docbuilder.engine.stop();
      const response = await service.convert(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf' });
      expect(response.headers.get('retry-after')).to.match(/^[1-9]\d*$/);
      expect(await errorOf(response)).to.deep.equal({
        status: 503,
        code: 'pool_unavailable',
        detail: { reason: 'no_worker' },
      });
    } finally {
      await service.stop();
    }
  });
});
