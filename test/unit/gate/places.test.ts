import { expect } from 'chai';
import fc from 'fast-check';
import { Counting, type CountingState } from '../../../cmd/gate/domain/counting.ts';
import { createLocalPlaces, type Places, SharedPlaces, waitForFreed } from '../../../cmd/gate/domain/places.ts';
import type { EditorView } from '../../../cmd/gate/domain/ports.ts';
import { FOREIGN, createView as view } from '../../support/gate-openings.ts';
import { createSharedText } from '../../support/shared-text.ts';

const sampleAt = (at: number, views: EditorView[] = []) => ({ at, views, documents: 1, modified: [] });

const step = fc.record({
  who: fc.nat(6).map((n) => `s${n}`),
  what: fc.constantFrom('admit', 'socket', 'foreign', 'release', 'pass', 'see'),
  number: fc.nat(70),
});

/** Does a step, and returns what came of it. */
function act(counting: Counting, { who, what, number }: { who: string; what: string; number: number }, now: number) {
  if (what === 'admit') return counting.admit(who);
  if (what === 'socket') return counting.admitSocket(who);
  if (what === 'foreign') return counting.admitForeign({ wopiSrc: FOREIGN, tokenHash: who });
  if (what === 'release') return counting.release(who);
  if (what !== 'see') return undefined;
  const views = ['s0', 's1', 's2', 's3', 's4', 's5'].filter((_, bit) => number & (1 << bit)).map((id) => view(id));
  return counting.observe(sampleAt(now, number > 60 ? [...views, view('u', null)] : views));
}

describe('the counted places', () => {
  it('are the same when they are written down and read again after each step', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now = 1_000_000;
        const options = { limit: () => 3, clock: () => now };
        const whole = new Counting(options);
        let stored = JSON.stringify(whole);
        for (const one of steps) {
          if (one.what === 'pass') now += one.number * 1000;
          const read = new Counting(options, JSON.parse(stored) as CountingState);
          expect(act(read, one, now)).to.deep.equal(act(whole, one, now));
          stored = JSON.stringify(read);
          const again = new Counting(options, JSON.parse(stored) as CountingState);
          expect(again.figures()).to.deep.equal(whole.figures());
          expect([again.isFull(), again.isFreeing(), again.hasPlace(one.who), again.hasForeign(FOREIGN)]).to.deep.equal(
            [whole.isFull(), whole.isFreeing(), whole.hasPlace(one.who), whole.hasForeign(FOREIGN)],
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  describe('of several gates', () => {
    let now = 0;
    let limit = 5;
    let shared: ReturnType<typeof createSharedText>;
    let gates: Places[];
    beforeEach(async () => {
      [now, limit] = [1_000_000, 5];
      shared = createSharedText(() => now);
      gates = [1, 2, 3].map(() => new SharedPlaces(shared, { limit: () => limit, clock: () => now }));
      await gates[0]?.observe(sampleAt(now));
    });
    const gate = (index: number) => gates[index % gates.length] as Places;
    const admit = (index: number, sessionId: string) =>
      gate(index).use((counting) => counting.admit(sessionId).admitted);

    it('are written down once a second for who asks again and again, and not at all for who is refused', async () => {
      limit = 1;
      await admit(0, 'a');
      const writes = shared.writes();
      for (let index = 0; index < 30; index += 1) await Promise.all([admit(index, 'a'), admit(index, 'b')]);
      expect(shared.writes()).to.equal(writes);
      now += 1_000;
      for (let index = 0; index < 30; index += 1) await admit(index, 'a');
      expect(shared.writes()).to.equal(writes + 1);
    });

    it('take a sample’s age from the gate that has it, and the time from the store', async () => {
      const late = new SharedPlaces(shared, { limit: () => limit, clock: () => now - 3_600_000 });
      await late.observe(sampleAt(now - 3_600_000 - 7_000));
      expect(await gate(1).use((one) => one.figures())).to.include({ sample_age_seconds: 7, enforcing: true });
    });
  });

  it('make who asks for one wait for the sample that frees it, for 2 s at most', async () => {
    const now = Date.now();
    const places = createLocalPlaces({ limit: () => 1, clock: () => now });
    const admit = (id: string) => places.use((counting) => counting.admit(id));
    const release = (id: string) => places.use((counting) => counting.release(id));
    const freed = () => waitForFreed(places);
    await places.observe(sampleAt(now, [view('a')]));
    await freed();
    await release('a');
    const waiting = freed();
    await places.observe(sampleAt(now, [view('a')]));
    expect(await admit('b')).to.include({ admitted: false });
    await places.observe(sampleAt(now));
    await waiting;
    expect(await admit('b')).to.include({ admitted: true });
    await places.observe(sampleAt(now, [view('b')]));
    await release('b');
    const started = performance.now();
    await freed();
    expect(performance.now() - started).to.be.within(1_900, 10_000);
  });
});
