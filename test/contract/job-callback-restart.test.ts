import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import type { Job } from '../../src/common/generated/wire.ts';
import { callbackReceiver } from '../support/gate-receiver.ts';
import { startEnterprise, until } from '../support/service.ts';

describe('a job callback that nobody took yet', () => {
  it('is tried again after a restart, at its time, as the same delivery', async () => {
    const state = { now: Date.now(), answer: 500 };
    const receiver = await callbackReceiver(() => state.answer);
    const environment = { SVC_FETCH_ALLOW_HOSTS: '127.0.0.1' };
    const clock = () => state.now;
    const first = await startEnterprise(environment, { clock });
    const fields = { to: 'pdf', async: 'true', callback_url: receiver.url };
    const { id } = (await (await first.convert(Buffer.from('Xin chào\n'), 'a.txt', fields)).json()) as Job;
    const attempted = (attempts: number, service = first) =>
      until(`attempt ${attempts}`, async () => {
        const job = (await (await service.call(`/v1/jobs/${id}`)).json()) as Job;
        return job.callback?.attempts === attempts && job.callback.last_status !== null ? job : undefined;
      });
    const { callback } = await attempted(1);
    expect(callback).to.include({ state: 'pending', last_status: 500 });
    expect(Date.parse(callback?.next_attempt_at ?? '')).to.equal(state.now + 10_000);
    await first.stop({ keep: true });

    Object.assign(state, { now: state.now + 10_000, answer: 204 });
    const second = await startEnterprise({ ...environment, SVC_DOCBUILDER_DATA_DIR: first.dataDir }, { clock });
    try {
      expect((await attempted(2, second)).callback).to.include({ state: 'delivered', last_status: 204 });
      const [one, two, ...more] = receiver.arrived.map(({ headers }) => headers['x-svc-delivery']);
      expect(one).to.equal(two);
      expect(more).to.deep.equal([]);
    } finally {
      await second.stop();
      await receiver.stop();
      await rm(first.dataDir, { recursive: true, force: true });
    }
  });
});
