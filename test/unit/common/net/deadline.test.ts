import { expect } from 'chai';
import { startDeadline, unlessAborted } from '../../../../src/common/net/deadline.ts';

const late = (): Error => new Error('late');
const never = new Promise<never>(() => {});

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('did not reject'),
    (reason: unknown) => reason,
  );
}

describe('a deadline', () => {
  it('aborts with its own reason when the time is up', async () => {
    const { signal } = startDeadline(5, late);
    expect(await reasonOf(unlessAborted(never, signal))).to.have.property('message', 'late');
  });

  it('aborts with the outer reason when the outer signal does, before or after the start', async () => {
    const outer = new AbortController();
    const before = startDeadline(60_000, late, outer.signal);
    outer.abort('over');
    const after = startDeadline(60_000, late, outer.signal);
    expect([before.signal.reason, after.signal.reason]).to.deep.equal(['over', 'over']);
    expect(await reasonOf(unlessAborted(never, after.signal))).to.equal('over');
    before.end();
    after.end();
  });

  it('leaves neither timer nor listener once ended', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const [outer, before] = [new AbortController(), timers()];
    const { signal, end } = startDeadline(60_000, late, outer.signal);
    expect(timers()).to.equal(before + 1);
    end();
    outer.abort();
    expect([timers(), signal.aborted]).to.deep.equal([before, false]);
  });

  it('passes on what the work settles to in time', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).to.equal(1);
    expect(await reasonOf(unlessAborted(Promise.reject('no'), signal))).to.equal('no');
  });
});
