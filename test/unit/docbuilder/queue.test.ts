import { expect } from 'chai';
import { JobQueue } from '../../../cmd/docbuilder/jobs/queue.ts';
import { refusal } from '../../support/refusal.ts';

const never = { signal: new AbortController().signal };
const openQueue = (parallel: number, capacity: number) => new JobQueue(() => ({ parallel, capacity, limit: capacity }));

/** Puts a job into a queue that runs until a test ends it. */
function begin(queue: JobQueue, options = never) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let started = false;
  const ended = queue.reserve().run(() => {
    started = true;
    return promise;
  }, options);
  const end = () => {
    resolve();
    return ended;
  };
  return { ended, end, started: () => started };
}

describe('the job queue', () => {
  it('runs as many as the plan allows, the others in the order they came', async () => {
    const queue = openQueue(1, 10);
    const jobs = [begin(queue), begin(queue), begin(queue)] as const;
    const started = () => jobs.map((job) => job.started());
    expect(queue.counts()).to.deep.equal({ queued: 2, running: 1 });
    expect(started()).to.deep.equal([true, false, false]);
    await jobs[0].end();
    expect(started()).to.deep.equal([true, true, false]);
    await Promise.all(jobs.map(({ end }) => end()));
    expect(queue.counts()).to.deep.equal({ queued: 0, running: 0 });
  });

  it('tells how many places were free all the time since it was asked; one is given back once', async () => {
    const queue = openQueue(2, 5);
    expect(queue.leastFree()).to.equal(2);
    const job = begin(queue);
    const { release } = queue.reserve();
    release();
    release();
    await job.end();
    expect(queue.places()).to.deep.equal({ free: 2, room: 7 });
    expect([queue.leastFree(), queue.leastFree()]).to.deep.equal([0, 2]);
  });

  it('lets go of what waits for the reason that it is cancelled for, and when it closes; what runs goes on', async () => {
    const queue = openQueue(1, 5);
    const [late, cancel] = [new AbortController(), new AbortController()];
    const [running, cancelled, waiting] = [begin(queue, late), begin(queue, cancel), begin(queue)];
    late.abort(new Error('it runs'));
    const reason = new Error('too late');
    cancel.abort(reason);
    expect(await cancelled.ended.catch((error) => error)).to.equal(reason);
    queue.close();
    expect(await waiting.ended.catch(({ code }) => code)).to.equal('pool_unavailable');
    expect(refusal(() => queue.assertRoom()).retryAfter).to.be.greaterThan(0);
    expect(queue.counts()).to.deep.equal({ queued: 0, running: 1 });
    await running.end();
  });

  it('runs what it has accepted, also once its part of the limits is none', async () => {
    let parallel = 1;
    const queue = new JobQueue(() => ({ parallel, capacity: parallel, limit: 1 }));
    const [running, waiting] = [begin(queue), begin(queue)];
    parallel = 0;
    await running.end();
    expect(waiting.started()).to.equal(true);
    expect(refusal(() => queue.assertRoom()).code).to.equal('queue_full');
    await waiting.end();
  });

  it('ends a slow job for one that somebody waits for, and starts it again beside the others', async () => {
    const queue = openQueue(2, 10);
    const log: string[] = [];
    const slow = (name: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const ended = queue.reserve().run(async (preempted) => {
        log.push(`${name} starts`);
        await Promise.race([promise, new Promise((_, reject) => preempted.addEventListener('abort', reject))]);
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
});
