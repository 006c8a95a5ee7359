import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { startDeadline, unlessAborted } from '../../../src/common/net/deadline.ts';
import { atMost, pause } from '../../../src/common/pause.ts';
import { repeat } from '../../../src/common/repeat.ts';

const LONG = 3_600_000;
const never = new Promise<never>(() => {});
const late = (): Error => new Error('late');
const findReason = (work: Promise<unknown>) => work.then(() => expect.fail('no reason')).catch((reason) => reason);

describe('a pause', () => {
  it('leaves nothing at its signal, which may live as long as the process, and ends once that aborts', async () => {
    const stop = new AbortController();
    await pause(1, stop.signal);
    expect(getEventListeners(stop.signal, 'abort')).to.deep.equal([]);
    const waiting = pause(LONG, stop.signal);
    stop.abort();
    await waiting;
    await pause(LONG, stop.signal);
  });

  it('is for work, and no longer than that', async () => {
    await atMost(LONG, Promise.resolve());
    await atMost(1, never);
    const failure = new Error('work failed');
    expect(await findReason(atMost(LONG, Promise.reject(failure)))).to.equal(failure);
  });
});

describe('a deadline', () => {
  it('aborts with its own reason when the time is up, else with that of the outer signal', async () => {
    const { signal } = startDeadline(5, late);
    expect(await findReason(unlessAborted(never, signal))).to.have.property('message', 'late');
    const outer = new AbortController();
    const before = startDeadline(LONG, late, outer.signal);
    outer.abort('over');
    const after = startDeadline(LONG, late, outer.signal);
    for (const { signal: ended, end } of [before, after]) {
      expect(await findReason(unlessAborted(never, ended))).to.equal('over');
      end();
    }
  });

  it('leaves neither timer nor listener once ended', () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const [outer, before] = [new AbortController(), countTimers()];
    const { signal, end } = startDeadline(LONG, late, outer.signal);
    expect(countTimers()).to.equal(before + 1);
    end();
    outer.abort();
    expect([countTimers(), signal.aborted]).to.deep.equal([before, false]);
  });
});

it('what is repeated never runs beside itself, and ends also while it runs', async () => {
  let [running, most, runs] = [0, 0, 0];
  const third = Promise.withResolvers<void>();
  const stop = repeat(1, async () => {
    most = Math.max(most, ++running);
    if (++runs === 3) third.resolve();
    await pause(10, new AbortController().signal);
    running -= 1;
  });
  await third.promise;
  await stop();
  expect(running).to.equal(0);
  await pause(40, new AbortController().signal);
  expect([most, runs]).to.deep.equal([1, 3]);
});
