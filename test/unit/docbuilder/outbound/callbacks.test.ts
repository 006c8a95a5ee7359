import { expect } from 'chai';
import { createCallbackSender } from '../../../../cmd/docbuilder/jobs/callbacks.ts';
import type { CallbackRecord, JobRecord } from '../../../../cmd/docbuilder/jobs/job.ts';
import { parseAllowList } from '../../../../src/common/net/allow-list.ts';
import { createOutbound } from '../../../../src/common/net/outbound.ts';
import { callbackReceiver } from '../../../support/gate-receiver.ts';
import { testLogger } from '../../../support/logs.ts';

const START = 1_790_000_000_000;
type Job = JobRecord & { callback: CallbackRecord };

describe('job callbacks', () => {
  let status = 204;
  let receiver: Awaited<ReturnType<typeof callbackReceiver>>;
  beforeEach(async () => {
    status = 204;
    receiver = await callbackReceiver(() => status);
  });
  afterEach(() => receiver.stop());

  function makeJob(id = 'job_1'): Job {
    const none = { startedAt: null, finishedAt: null, expiresAt: null, outputs: [], error: null };
    const timing = { queueMs: 0, engineMs: 0 };
    const delivery = { url: receiver.url, deliveryId: 'd-1', lastStatus: null, nextAttemptAt: START };
    return {
      ...{ id, kind: 'convert', status: 'done', createdAt: START, baseUrl: '', ...none, timing },
      callback: { ...delivery, state: 'pending', attempts: 0 },
    };
  }

  /** Gives jobs to a sender until it has reported one attempt. */
  async function deliver(
    now: number,
    jobs: Job[],
    ownsCallback = async (_job: { id: string }) => true,
    keep = (_job: JobRecord): void => {},
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sender = createCallbackSender({
      outbound: createOutbound({ allow: parseAllowList('127.0.0.1').list, userAgent: 'SVC-DocBuilder/1.0' }),
      toBody: () => '{}',
      secret: '',
      clock: () => now,
      log: testLogger(),
      store: {
        ownsCallback,
        update: async (job) => {
          keep(job);
          // An attempt is reported before the next one is planned, which a stop then leaves to a later run.
          sender.stop();
          resolve();
        },
      },
    });
    for (const job of jobs) sender.deliver(job);
    await promise;
  }

  it('are tried at once, 10 s and 60 s after that, then no more; a restart between changes none of it', async () => {
    status = 500;
    const job = makeJob();
    for (const [now, attempts, state, nextAttemptAt] of [
      [START, 1, 'pending', START + 10_000],
      [START + 10_000, 2, 'pending', START + 70_000],
      [START + 70_000, 3, 'failed', null],
    ] as const) {
      await deliver(now, [job]);
      expect(job.callback).to.include({ attempts, state, nextAttemptAt });
    }
    expect(receiver.arrived.map(({ headers }) => headers['x-svc-delivery'])).to.deep.equal(['d-1', 'd-1', 'd-1']);
  });

  it('are sent once where the store returns their job twice', async () => {
    const job = makeJob();
    await deliver(START, [job, job]);
    expect(job.callback).to.include({ state: 'delivered', attempts: 1 });
  });

  it('are not sent before their time', async () => {
    const job = makeJob();
    Object.assign(job.callback, { attempts: 1, nextAttemptAt: START + 10_000 });
    const began = performance.now();
    await deliver(START + 9_900, [job]);
    expect(performance.now() - began).to.be.at.least(95);
    expect(job.callback).to.include({ state: 'delivered', attempts: 2, lastStatus: 204 });
  });

  it('are sent in time when the clock has been set back since the job was accepted', async () => {
    const job = makeJob();
    await deliver(START - 3_600_000, [job]);
    expect(job.callback).to.include({ state: 'delivered', attempts: 1 });
  });

  it('are sent once the store says that they are to be sent from here, and never where it says that they are not', async () => {
    const [ours, theirs] = [makeJob(), makeJob('job_2')];
    let asked = 0;
    await deliver(START, [theirs, ours], async ({ id }) => {
      if (id === 'job_2') return false;
      asked += 1;
      if (asked === 1) throw new Error('away');
      return true;
    });
    expect(asked).to.equal(2);
    expect(receiver.arrived).to.have.length(1);
    expect(ours.callback).to.include({ state: 'delivered', attempts: 1 });
    expect(theirs.callback).to.include({ state: 'pending', attempts: 0 });
  });

  it('are known to be delivered once the store is back: nothing else would write it down', async () => {
    const kept: string[] = [];
    await deliver(START, [makeJob()], undefined, ({ callback }) => {
      kept.push(callback?.state ?? '');
      if (kept.length === 1) throw new Error('away');
    });
    expect(kept).to.deep.equal(['delivered', 'delivered']);
    expect(receiver.arrived).to.have.length(1);
  });
});
