import { expect } from 'chai';
import fc from 'fast-check';
import { JobQueue } from '../../../cmd/docbuilder/jobs/queue.ts';
import type { AppError } from '../../../src/common/errors.ts';
import { refusal } from '../../support/refusal.ts';

const never = { signal: new AbortController().signal };
const openQueue = (parallel: number, capacity: number) => new JobQueue(() => ({ parallel, capacity, limit: capacity }));

/** A job that runs until it is told to end. */
function job(): { work: () => Promise<void>; end: () => void; started: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let running = false;
  return {
    work: () => {
      running = true;
      return promise;
    },
    end: resolve,
    started: () => running,
  };
}

describe('the job queue', () => {
  it('runs as many as the plan allows, the others in the order they came', async () => {
    const queue = openQueue(1, 10);
    const [first, second, third] = [job(), job(), job()];
    const ends = [first, second, third].map(({ work }) => queue.reserve().run(work, never));
    expect(queue.counts()).to.deep.equal({ queued: 2, running: 1 });
    expect([first.started(), second.started(), third.started()]).to.deep.equal([true, false, false]);
    first.end();
    await ends[0];
    expect([second.started(), third.started()]).to.deep.equal([true, false]);
    second.end();
    third.end();
    await Promise.all(ends);
    expect(queue.counts()).to.deep.equal({ queued: 0, running: 0 });
  });

  it('tells how many places were free all the time since it was asked', async () => {
    const queue = openQueue(2, 5);
    expect(queue.leastFree()).to.equal(2);
    const { work, end } = job();
    const ended = queue.reserve().run(work, never);
    queue.reserve().release();
    end();
    await ended;
    expect(queue.places()).to.deep.equal({ free: 2, room: 7 });
    expect([queue.leastFree(), queue.leastFree()]).to.deep.equal([0, 2]);
  });

  it('refuses what would wait beyond its capacity, with a time to come back', async () => {
    const queue = openQueue(1, 1);
    const running = job();
    const end = queue.reserve().run(running.work, never);
    const waiting = queue.reserve();
    const error = refusal(() => queue.reserve());
    expect(error.code).to.equal('queue_full');
    expect(error.retryAfter).to.be.within(1, 60);
    waiting.release();
    waiting.release();
    queue.reserve().release();
    running.end();
    await end;
  });

  it('lets go of a waiting job that is cancelled, for the reason given', async () => {
    const queue = openQueue(1, 5);
    const running = job();
    const end = queue.reserve().run(running.work, never);
    const cancel = new AbortController();
    const waiting = queue.reserve().run(job().work, cancel);
    const reason = new Error('too late');
    cancel.abort(reason);
    expect(await waiting.catch((error) => error)).to.equal(reason);
    expect(queue.counts()).to.deep.equal({ queued: 0, running: 1 });
    running.end();
    await end;
  });

  it('closes: nothing new, what waits is refused, what runs goes on', async () => {
    const queue = openQueue(1, 5);
    const running = job();
    const end = queue.reserve().run(running.work, never);
    const waiting = queue.reserve().run(job().work, never);
    queue.close();
    expect(((await waiting.catch((error) => error)) as AppError).code).to.equal('pool_unavailable');
    expect(refusal(() => queue.assertRoom()).retryAfter).to.be.greaterThan(0);
    expect(queue.counts()).to.deep.equal({ queued: 0, running: 1 });
    running.end();
    await end;
  });

  it('goes on after a job that fails, also at once', async () => {
    const queue = openQueue(1, 5);
    const failing = queue.reserve().run(() => Promise.reject(new Error('no')), never);
    const throwing = queue.reserve().run(() => {
      throw new Error('never');
    }, never);
    const last = queue.reserve().run(async () => 'done', never);
    const ends = await Promise.allSettled([failing, throwing, last]);
    expect(ends.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled']);
  });

  it('ends a slow job for one that somebody waits for, and starts it again beside the others', async () => {
    const queue = openQueue(2, 10);
    const log: string[] = [];
    const slow = (name: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const ended = queue.reserve().run(async (yielded) => {
        log.push(`${name} starts`);
        await Promise.race([promise, new Promise((_, reject) => yielded.addEventListener('abort', reject))]);
        log.push(`${name} ends`);
      }, never);
      return { end: resolve, ended };
    };
    const quick = (name: string) => queue.reserve().run(async () => void log.push(name), { ...never, urgent: true });
    const [first, second] = [slow('first'), slow('second')];
    // Nobody waits for these two, so nothing makes room for the third.
    const third = slow('third');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(log).to.deep.equal(['first starts', 'second starts']);
    await Promise.all([quick('one'), quick('two')]);
    third.end();
    await third.ended;
    second.end();
    first.end();
    await Promise.all([first.ended, second.ended]);
    expect(queue.counts()).to.deep.equal({ queued: 0, running: 0 });
    expect(log).to.deep.equal([
      ...['first starts', 'second starts', 'one', 'two', 'third starts', 'third ends'],
      ...['first ends', 'second starts', 'second ends'],
    ]);
  });

  it('never runs more than it may and never loses one, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ ms: fc.integer({ min: 0, max: 3 }), cancel: fc.boolean(), fail: fc.boolean() }), {
          maxLength: 20,
        }),
        async (parallel, jobs) => {
          const queue = openQueue(parallel, 100);
          let running = 0;
          let most = 0;
          const results = jobs.map(({ ms, cancel, fail }) => {
            const controller = new AbortController();
            const result = queue.reserve().run(async () => {
              most = Math.max(most, ++running);
              await new Promise((resolve) => setTimeout(resolve, ms));
              running -= 1;
              if (fail) throw new Error('failed');
            }, controller);
            if (cancel) controller.abort();
            return result;
          });
          await Promise.allSettled(results);
          expect(most).to.be.at.most(parallel);
          expect(queue.counts()).to.deep.equal({ queued: 0, running: 0 });
        },
      ),
      { numRuns: 60 },
    );
  });
});
