import { expect } from 'chai';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import { type QueueOptions, WorkQueue } from '../../../../cmd/controller/reconcile/queue.ts';
import { testLogger } from '../../../support/logs.ts';
import { until } from '../../../support/until.ts';

/** A queue, with work that ends when a test ends it. */
function makeQueue(options: Partial<QueueOptions> = {}) {
  const started: string[] = [];
  const open: { key: string; end: (next?: number) => void; fail: () => void; signal: AbortSignal }[] = [];
  const reconcile: QueueOptions['reconcile'] = (key, signal) => {
    started.push(key);
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    open.push({ key, signal, end: resolve, fail: () => reject(new Error('failed on purpose')) });
    return promise;
  };
  const queue = new WorkQueue({ reconcile, log, ...options });
  return { queue, started, open, idle: () => until('it is idle', () => queue.figures().running === 0 || undefined) };
}

const log = testLogger();

describe('the queue of instances', () => {
  it('runs nothing before its start, then the last first, and afterwards the newest before those that wait', async () => {
    const { queue, started, open } = makeQueue({ parallel: 1 });
    for (const key of ['a', 'b', 'c', 'a', 'd']) queue.add(key);
    for (const key of ['y', 'a']) queue.addWithLowPriority(key);
    await new Promise(setImmediate);
    expect(started).to.deep.equal([]);
    queue.start();
    queue.addWithLowPriority('z');
    queue.add('e');
    for (let index = 0; index < 6; index += 1) {
      open[index]?.end();
      await until('the next', () => started[index + 1]);
    }
    expect(started).to.deep.equal(['d', 'e', 'a', 'c', 'b', 'y', 'z']);
  });

  it('runs a key that is added many times once, and once more when it is added while it runs', async () => {
    const { queue, started, open, idle } = makeQueue();
    for (const _ of Array(10)) queue.add('a');
    queue.start();
    for (const _ of Array(10)) queue.add('a');
    expect(started).to.deep.equal(['a']);
    open[0]?.end();
    await until('the second run', () => open[1]);
    open[1]?.end();
    await idle();
    expect(started).to.deep.equal(['a', 'a']);
  });

  it('runs different keys in parallel, no more than it may', async () => {
    const { queue, started, open } = makeQueue({ parallel: 2 });
    queue.start();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    expect(started).to.deep.equal(['a', 'b']);
    open[1]?.end();
    await until('the third', () => started[2]);
    expect(queue.figures()).to.deep.include({ running: 2, waiting: 0, done: 1 });
  });

  it('tells the work how often it has failed before, until it succeeds', async () => {
    const reported: number[] = [];
    const queue = new WorkQueue({
      reconcile: async (_, __, failures) => {
        reported.push(failures);
        if (reported.length === 3) return 1;
        if (reported.length < 3) throw new Error('failed on purpose');
        return undefined;
      },
      log,
      backoff: { minMs: 1, maxMs: 1 },
    });
    queue.start();
    queue.add('a');
    await until('four runs', () => reported[3] !== undefined || undefined);
    expect(reported).to.deep.equal([0, 1, 2, 0]);
  });

  for (const [how, error, waits] of [
    ['each time after twice the wait, up to the longest', new Error('failed on purpose'), [4, 8, 16, 16, 16]],
    ['as late as a busy API server asks for', new ApiError('PATCH /x', { status: 429, retryAfter: 7 }), [7_000]],
  ] as const) {
    it(`tries what fails again, ${how}`, async () => {
      const reported: number[] = [];
      const queue = new WorkQueue({
        reconcile: () => Promise.reject(error),
        backoff: { minMs: 4, maxMs: 16 },
        random: () => 1,
        log: { warn: (facts: object) => void reported.push((facts as { retry_ms: number }).retry_ms) } as typeof log,
      });
      queue.start();
      queue.add('a');
      await until('failures', () => reported.length >= waits.length);
      await queue.stop();
      expect(reported.slice(0, 5)).to.deep.equal(waits);
    });
  }

  it('looks again when the work asks for it, and earlier when something happens', async () => {
    const { queue, started, open, idle } = makeQueue();
    queue.start();
    queue.add('a');
    open[0]?.end(5);
    (await until('the second run', () => open[1])).end(3_600_000);
    await idle();
    queue.add('a');
    expect(started).to.have.lengthOf(3);
  });

  it('adds a key after a while, unless something else happens before', async () => {
    const { queue, started, open, idle } = makeQueue();
    queue.start();
    queue.addAfter('a', 0);
    expect(started).to.deep.equal(['a']);
    open[0]?.end();
    await idle();
    queue.addAfter('a', 3_600_000);
    queue.addAfter('a', 5);
    expect(started).to.have.lengthOf(1);
    (await until('the second run', () => open[1])).end();
    await queue.stop();
  });

  it('keeps the delayed turn of a key that changed while it runs, though a list comes meanwhile', async () => {
    const { queue, started, open } = makeQueue();
    queue.start();
    queue.add('a');
    queue.addAfter('a', 20);
    queue.addWithLowPriority('a');
    open[0]?.end();
    await until('the second run', () => started[1]);
  });

  it('looks at nothing again while something waits that has changed', async () => {
    const { queue, started, open } = makeQueue({ parallel: 1 });
    queue.start();
    queue.add('old');
    queue.add('new');
    open[0]?.end(1);
    const second = await until('the second run', () => open[1]);
    await until('the old one waits', () => queue.figures().waiting === 1 || undefined);
    queue.add('newer');
    second.end();
    (await until('the third run', () => open[2])).end();
    await until('the fourth run', () => open[3]);
    expect(started).to.deep.equal(['old', 'new', 'newer', 'old']);
  });

  it('looks at what waits with low priority in the end, though others never cease to be added', async () => {
    const { queue, started, open } = makeQueue({ parallel: 1 });
    queue.start();
    for (const key of ['a', 'b']) queue.add(key);
    queue.addWithLowPriority('old');
    for (let index = 0; index < 20 && !started.includes('old'); index += 1) {
      (await until('the next', () => open[index])).end();
      queue.add(index % 2 === 0 ? 'a' : 'b');
    }
    expect(started).to.have.lengthOf(10);
  });

  it('tells the work when its time is over, and starts the key anew only when it has ended', async () => {
    const { queue, started, open } = makeQueue({ timeoutMs: 5 });
    queue.start();
    queue.add('a');
    await until('the time is over', () => open[0]?.signal.aborted || undefined);
    queue.add('a');
    expect(started).to.have.lengthOf(1);
    expect(queue.figures().longestMs).to.be.at.least(4);
    open[0]?.fail();
    await until('the second run', () => open[1]);
  });

  it('aborts what runs when it is stopped, ends with it, and starts nothing more', async () => {
    const { queue, started, open } = makeQueue({ parallel: 1 });
    queue.start();
    queue.add('a');
    queue.add('b');
    let stopped = false;
    const stopping = queue.stop().then(() => {
      stopped = true;
    });
    await new Promise(setImmediate);
    expect(stopped).to.equal(false);
    expect(open[0]?.signal.aborted).to.equal(true);
    open[0]?.fail();
    await stopping;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(started).to.deep.equal(['a']);
  });
});
