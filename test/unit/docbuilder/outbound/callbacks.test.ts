import { expect } from 'chai';
import { createCallbackSender } from '../../../../cmd/docbuilder/jobs/callbacks.ts';
import type { CallbackRecord, JobRecord } from '../../../../cmd/docbuilder/jobs/job.ts';
import { parseAllowList } from '../../../../src/common/net/allow-list.ts';
import { createOutbound } from '../../../../src/common/net/outbound.ts';
import { callbackReceiver } from '../../../support/gate-receiver.ts';
import { testLogger } from '../../../support/logs.ts';

const START = 1_790_000_000_000;

function jobWith(url: string): JobRecord & { callback: CallbackRecord } {
  const none = { startedAt: null, finishedAt: null, expiresAt: null, outputs: [], error: null };
  return {
    ...{ id: 'job_1', kind: 'convert', status: 'done', createdAt: START, baseUrl: '', ...none },
    timing: { queueMs: 0, engineMs: 0 },
    callback: { url, deliveryId: 'd-1', state: 'pending', attempts: 0, lastStatus: null, nextAttemptAt: START },
  };
}

describe('job callbacks', () => {
  it('are tried at once, 10 s and 60 s after that, then no more; a restart between changes none of it', async () => {
    const receiver = await callbackReceiver(() => 500);
    const state = { now: START };
    const job = jobWith(receiver.url);
    const attempts: Partial<CallbackRecord>[] = [];
    try {
      for (const wait of [0, 10_000, 60_000]) {
        state.now += wait;
        const { promise, resolve } = Promise.withResolvers<void>();
        const sender = createCallbackSender({
          outbound: createOutbound({ allow: parseAllowList('127.0.0.1').list, userAgent: 'SVC-DocBuilder/1.0' }),
          toBody: () => '{}',
          secret: '',
          clock: () => state.now,
          log: testLogger(),
          store: {
            sends: async () => true,
            update: async () => {
              attempts.push({ ...job.callback });
              sender.stop();
              resolve();
            },
          },
        });
        // Told before the next attempt is planned, which a stop then leaves to a later run.
        sender.deliver(job);
        await promise;
      }
      expect(attempts.map(({ attempts: count, state: is }) => [count, is])).to.deep.equal([
        [1, 'pending'],
        [2, 'pending'],
        [3, 'failed'],
      ]);
      expect(attempts.map(({ nextAttemptAt }) => nextAttemptAt)).to.deep.equal([START + 10_000, START + 70_000, null]);
      expect(receiver.arrived.map(({ headers }) => headers['x-svc-delivery'])).to.deep.equal(['d-1', 'd-1', 'd-1']);
    } finally {
      await receiver.stop();
    }
  });

  it('are not sent before their time', async () => {
    const receiver = await callbackReceiver(() => 204);
    const job = jobWith(receiver.url);
    job.callback.nextAttemptAt = START + 10_000;
    const { promise, resolve } = Promise.withResolvers<void>();
    const sender = createCallbackSender({
      outbound: createOutbound({ allow: parseAllowList('127.0.0.1').list, userAgent: 'SVC-DocBuilder/1.0' }),
      toBody: () => '{}',
      secret: '',
      clock: () => START + 9_900,
      log: testLogger(),
      store: { sends: async () => true, update: async () => resolve() },
    });
    const began = performance.now();
    try {
      sender.deliver(job);
      await promise;
      expect(performance.now() - began).to.be.at.least(95);
      expect(job.callback).to.include({ state: 'delivered', attempts: 1, lastStatus: 204 });
    } finally {
      sender.stop();
      await receiver.stop();
    }
  });

  it('are sent once the store says that they are to be sent from here, and never where it says that they are not', async () => {
    const receiver = await callbackReceiver(() => 204);
    const answers = [Promise.reject(new Error('away')), Promise.resolve(true)];
    answers[0]?.catch(() => {});
    const { promise, resolve } = Promise.withResolvers<void>();
    const state = { asked: 0 };
    const sender = createCallbackSender({
      outbound: createOutbound({ allow: parseAllowList('127.0.0.1').list, userAgent: 'SVC-DocBuilder/1.0' }),
      toBody: () => '{}',
      secret: '',
      clock: () => START,
      log: testLogger(),
      store: {
        sends: async ({ id }) => {
          if (id === 'job_2') return false;
          state.asked += 1;
          return answers.shift() ?? true;
        },
        update: async () => resolve(),
      },
    });
    try {
      const [ours, theirs] = [jobWith(receiver.url), { ...jobWith(receiver.url), id: 'job_2' }];
      sender.deliver(theirs);
      sender.deliver(ours);
      await promise;
      expect(state.asked).to.equal(2);
      expect(receiver.arrived).to.have.length(1);
      expect(ours.callback).to.include({ state: 'delivered', attempts: 1 });
      expect(theirs.callback).to.include({ state: 'pending', attempts: 0 });
    } finally {
      sender.stop();
      await receiver.stop();
    }
  });
});
