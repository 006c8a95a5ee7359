import { expect } from 'chai';
import { startDeadline, unlessAborted } from '../../../../src/common/net/deadline.ts';

const late = (): Error => new Error('late');
const never = new Promise<never>(() => {});
const findReason = (work: Promise<unknown>) => work.then(() => expect.fail('no reason')).catch((reason) => reason);

describe('a deadline', () => {
  it('aborts with its own reason when the time is up, else with that of the outer signal', async () => {
    const { signal } = startDeadline(5, late);
    expect(await findReason(unlessAborted(never, signal))).to.have.property('message', 'late');
    const outer = new AbortController();
    const before = startDeadline(60_000, late, outer.signal);
    outer.abort('over');
    const after = startDeadline(60_000, late, outer.signal);
    for (const { signal: ended, end } of [before, after]) {
      expect(await findReason(unlessAborted(never, ended))).to.equal('over');
      end();
    }
  });

  it('leaves neither timer nor listener once ended', () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const [outer, before] = [new AbortController(), countTimers()];
    const { signal, end } = startDeadline(60_000, late, outer.signal);
    expect(countTimers()).to.equal(before + 1);
    end();
    outer.abort();
    expect([countTimers(), signal.aborted]).to.deep.equal([before, false]);
  });

  it('passes on what the work settles to in time', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).to.equal(1);
    expect(await findReason(unlessAborted(Promise.reject('no'), signal))).to.equal('no');
  });
});
