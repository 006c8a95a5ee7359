import { expect } from 'chai';
import fc from 'fast-check';
import { Counting } from '../../../cmd/gate/domain/counting.ts';
import type { EditorView } from '../../../cmd/gate/domain/ports.ts';
import { DOC, FOREIGN, sourceOf } from '../../support/gate-openings.ts';

const SECOND = 1000;

function start(limit: number) {
  const state = { now: 1_000_000, limit };
  const counting = new Counting({ limit: () => state.limit, clock: () => state.now });
  const own = (userId: string, more: Partial<EditorView> = {}): EditorView => ({
    docId: DOC,
    wopiSrc: sourceOf(DOC),
    userId,
    viewId: userId,
    readonly: false,
    ...more,
  });
  return {
    state,
    counting,
    own,
    other: (userId: string, more: Partial<EditorView> = {}): EditorView =>
      own(userId, { docId: null, wopiSrc: FOREIGN, ...more }),
    /** What the editor lists now. */
    see: (...views: EditorView[]) =>
      counting.observe({ at: state.now, views, documents: views.length && 1, modified: new Set() }),
    pass: (seconds: number) => {
      state.now += seconds * SECOND;
    },
    admit: (sessionId: string) => counting.admit({ sessionId, docId: DOC }).admitted,
    admitForeign: (tokenHash: string, wopiSrc = FOREIGN) => counting.admitForeign({ wopiSrc, tokenHash }).admitted,
    counts: () => {
      const { current, pending } = counting.figures();
      return [current, pending];
    },
  };
}

describe('counting', () => {
  it('refuses the first session above the limit, with the figures', () => {
    const { counting, see, admit, own } = start(2);
    see(own('a'));
    expect([admit('b'), admit('c')]).to.deep.equal([true, false]);
    expect(counting.admit({ sessionId: 'c', docId: DOC })).to.deep.equal({
      admitted: false,
      limit: 2,
      current: 1,
      pending: 1,
    });
    expect(counting.figures()).to.include({ limit_reached: true, enforcing: true });
  });

  it('gives a session one place however often it asks and however many views it has', () => {
    const { see, admit, own, counts } = start(3);
    see();
    for (let i = 0; i < 5; i += 1) expect(admit('a')).to.equal(true);
    expect(counts()).to.deep.equal([0, 1]);
    see(...Array.from({ length: 40 }, (_, index) => own('a', { viewId: String(index) })));
    expect(counts()).to.deep.equal([1, 0]);
  });

  it('keeps a reservation for 60 s from the last time it was asked for', () => {
    const { see, pass, admit, counts } = start(1);
    see();
    admit('a');
    pass(50);
    admit('a');
    see();
    pass(59.999);
    expect(admit('b')).to.equal(false);
    pass(0.001);
    expect(counts()).to.deep.equal([0, 0]);
    see();
    expect(admit('b')).to.equal(true);
  });

  it('keeps a place for 120 s after its view drops, and its owner comes back into it', () => {
    const { see, pass, admit, own, counts } = start(1);
    see(own('a'));
    pass(10);
    see();
    expect(counts()).to.deep.equal([1, 0]);
    pass(119.999);
    see();
    expect([admit('b'), admit('a')]).to.deep.equal([false, true]);
    see(own('a'));
    pass(10);
    see();
    pass(120);
    see();
    expect([counts()[0], admit('b')]).to.deep.equal([0, true]);
  });

  it('counts who comes back at the last moment, also before the editor lists them', () => {
    const { see, pass, admit, own, other, admitForeign, counts } = start(1);
    for (const [come, view] of [
      [() => admit('a'), own('a')],
      [() => admitForeign('t1'), other('u1')],
    ] as const) {
      come();
      see(view);
      pass(10);
      see();
      pass(119);
      see();
      expect(come()).to.equal(true);
      pass(2);
      expect([admit('b'), counts()[0]]).to.deep.equal([false, 1]);
      see(view);
      pass(10);
      see();
      pass(120);
      see();
      expect(counts()).to.deep.equal([0, 0]);
    }
  });

  it('gives a released place back at once, but not while its view is still open', () => {
    const { counting, see, pass, admit, own, counts } = start(1);
    see();
    admit('a');
    counting.release('a');
    expect(counts()).to.deep.equal([0, 0]);
    admit('b');
    see(own('b'));
    counting.release('b');
    expect([counts()[0], admit('c')]).to.deep.equal([1, false]);
    pass(10);
    see();
    expect([counts()[0], admit('c')]).to.deep.equal([0, true]);
  });

  it('keeps the place of a WebSocket that was let in until a sample shows that its view has gone', () => {
    const { counting, see, pass, admit, own, counts } = start(1);
    const open = (sessionId: string) => counting.admitSocket({ sessionId, docId: DOC }).admitted;
    see();
    expect([admit('a'), open('a')]).to.deep.equal([true, true]);
    counting.release('a');
    expect([admit('b'), counts()]).to.deep.equal([false, [0, 1]]);
    pass(4);
    see();
    expect(admit('b'), 'it may not be listed yet').to.equal(false);
    pass(6);
    see(own('a'));
    expect([admit('b'), counts()], 'listed').to.deep.equal([false, [1, 0]]);
    pass(10);
    see();
    expect([admit('b'), open('b')], 'gone, and not held').to.deep.equal([true, true]);
    counting.release('b');
    pass(5);
    see();
    expect(admit('c'), 'never came').to.equal(true);
  });

  it('waits for the next sample once a listed place was released while all are taken, for 10 s', () => {
    const { state, counting, see, pass, own } = start(2);
    see(own('a'), own('b'));
    expect(counting.isFreeing()).to.equal(false);
    counting.release('a');
    expect(counting.isFreeing()).to.equal(true);
    state.limit = 3;
    expect(counting.isFreeing(), 'with room').to.equal(false);
    state.limit = 2;
    pass(10);
    expect(counting.isFreeing(), 'after 10 s').to.equal(true);
    pass(1);
    expect(counting.isFreeing(), 'of a view that stays').to.equal(false);
  });

  it('keeps a place that was released and asked for again', () => {
    const { counting, see, admit, own, counts } = start(1);
    see(own('a'));
    counting.release('a');
    expect(admit('a')).to.equal(true);
    see();
    expect(counts()[0]).to.equal(1);
  });

  it('gives views that only read no place, and counts them', () => {
    const { counting, see, own, other } = start(5);
    see(own('a', { readonly: true }), own('b'), other('c', { readonly: true }));
    expect(counting.figures()).to.include({ current: 1, readonly: 2, views_total: 3, documents: 1 });
  });

  it('leaves a session that may edit again its reservation while its old view only reads', () => {
    const { see, admit, own, counts } = start(1);
    see(own('a', { readonly: true }));
    admit('a');
    see(own('a', { readonly: true }));
    expect(counts()).to.deep.equal([0, 1]);
  });

  it('cuts nobody off when the limit falls', () => {
    const { state, counting, see, pass, admit, own } = start(3);
    see(own('a'), own('b'));
    admit('c');
    pass(10);
    see(own('a'));
    state.limit = 0;
    expect(['a', 'b', 'c', 'd'].map(admit)).to.deep.equal([true, true, true, false]);
    expect(counting.figures()).to.include({ current: 2, pending: 1, limit: 0, limit_reached: true });
  });

  it('lets everybody in before the first sample and 60 s after the last, and says so', () => {
    const { counting, see, pass, admit } = start(0);
    expect(admit('a')).to.equal(true);
    expect(counting.figures()).to.include({ enforcing: false, sample_age_seconds: null, pending: 1 });
    see();
    expect(admit('b')).to.equal(false);
    pass(60);
    expect([admit('b'), counting.figures().sample_age_seconds]).to.deep.equal([false, 60]);
    pass(0.001);
    expect([admit('b'), counting.figures().enforcing]).to.deep.equal([true, false]);
  });

  it('keeps nothing for an hour because the clock was set back by one', () => {
    const { counting, see, pass, admit, own, counts } = start(3);
    see(own('a'), own('b'));
    pass(10);
    see(own('b'));
    admit('c');
    pass(-3600);
    see(own('b'));
    expect([counts(), counting.figures().peak_5m]).to.deep.equal([[2, 1], 2]);
    pass(60);
    see();
    expect(counts()).to.deep.equal([2, 0]);
    pass(60);
    see();
    expect(counts()[0]).to.equal(1);
    pass(60);
    see();
    expect([counts()[0], admit('d')]).to.deep.equal([0, true]);
    pass(119);
    see();
    expect(counting.figures().peak_5m).to.equal(2);
    pass(300);
    see();
    expect(counting.figures().peak_5m).to.equal(0);
  });

  it('takes a sample that is from the future for none', () => {
    const { counting, see, pass, admit } = start(0);
    see();
    pass(-61);
    expect([admit('a'), counting.figures().enforcing]).to.deep.equal([true, false]);
    see();
    expect(admit('b')).to.equal(false);
  });

  it('keeps the places of an editor that is away for long, for 120 s after it is back', () => {
    const { see, pass, own, admit, counts } = start(1);
    see(own('a'));
    pass(3600);
    expect(counts()[0]).to.equal(1);
    see();
    pass(119);
    see();
    expect([admit('b'), admit('a')]).to.deep.equal([false, true]);
  });

  it('shows the highest count of the last 300 s', () => {
    const { counting, see, pass, own } = start(9);
    const peak = (): number => counting.figures().peak_5m;
    see(own('a'), own('b'), own('c'));
    counting.release('b');
    counting.release('c');
    pass(10);
    see(own('a'));
    expect([counting.figures().current, peak()]).to.deep.equal([1, 3]);
    pass(289);
    expect(peak()).to.equal(3);
    pass(1);
    expect(peak()).to.equal(1);
  });

  describe('on documents of other WOPI hosts', () => {
    it('reserves by document and token, and counts users', () => {
      const { see, other, admitForeign, counts } = start(2);
      see();
      expect([admitForeign('t1'), admitForeign('t1'), admitForeign('t2')]).to.deep.equal([true, true, true]);
      expect([admitForeign('t3'), admitForeign('t1', `${FOREIGN}0`)]).to.deep.equal([false, false]);
      see(other('u1'), other('u1', { viewId: '2' }));
      expect(counts()).to.deep.equal([1, 1]);
      see(other('u1'), other('u2'));
      expect(counts()).to.deep.equal([2, 0]);
      expect([admitForeign('t1'), admitForeign('t2'), admitForeign('t3')]).to.deep.equal([true, true, false]);
    });

    it('lets a user who dropped come back, and takes nobody else for them', () => {
      const { see, pass, other, admitForeign, counts } = start(2);
      see();
      admitForeign('t1');
      see(other('u1'));
      pass(10);
      see();
      admitForeign('t2');
      see(other('u1'));
      expect(counts()).to.deep.equal([1, 1]);
      pass(200);
      see(other('u1'), other('u2'));
      expect([admitForeign('t1'), admitForeign('t2')]).to.deep.equal([true, false]);
    });

    it('gives the reservation back of who turns out to only read', () => {
      const { see, other, admitForeign, counts } = start(1);
      see();
      admitForeign('t1');
      see(other('u1', { readonly: true }));
      expect([counts(), admitForeign('t2')]).to.deep.equal([[0, 0], true]);
    });

    it('counts views without a user one by one', () => {
      const { see, other, counts } = start(9);
      see(other('', { viewId: '1' }), other('', { viewId: '2' }));
      expect(counts()[0]).to.equal(2);
    });

    it('does not let made-up reservations keep sessions of ours out', () => {
      const { see, admit, admitForeign } = start(2);
      see();
      for (let i = 0; i < 50; i += 1) admitForeign(`t${i}`);
      expect([admit('a'), admit('b'), admit('c'), admitForeign('t99')]).to.deep.equal([true, true, false, false]);
    });

    it('is let in without a sample, and takes no memory for more than could have a place', () => {
      const { admitForeign, counts, pass, see } = start(2);
      for (let i = 0; i < 50; i += 1) expect(admitForeign(`t${i}`)).to.equal(true);
      expect(counts()).to.deep.equal([0, 2]);
      pass(60);
      see();
      expect([admitForeign('a'), admitForeign('b'), admitForeign('c')]).to.deep.equal([true, true, false]);
    });
  });

  it('is never over the limit by admission, and refuses nobody while there is room', () => {
    const step = fc.record({
      who: fc.nat(8).map((n) => `s${n}`),
      what: fc.constantFrom('admit', 'open', 'drop', 'release', 'pass', 'see'),
      seconds: fc.nat(70),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { counting, see, pass, own, admit } = start(3);
        const open = new Set<string>();
        const list = () => see(...[...open].map((id) => own(id)));
        list();
        for (const { who, what, seconds } of steps) {
          if (what === 'admit') judge(counting, who, admit);
          // Only who was let in comes to have a view.
          if (what === 'open' && counting.hasPlace(who)) open.add(who);
          if (what === 'drop') open.delete(who);
          if (what === 'release') counting.release(who);
          if (what === 'pass') pass(seconds % 11);
          list();
          const { current, pending } = counting.figures();
          expect(current + pending).to.be.at.most(3);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keeps nothing of those who have gone', () => {
    const { counting, see, pass, own, admit, other, admitForeign } = start(1000);
    for (let round = 0; round < 360; round += 1) {
      const ids = Array.from({ length: 5 }, (_, index) => `${round}-${index}`);
      for (const id of ids) admit(id);
      admitForeign(`t${round}`);
      see(...ids.map((id) => own(id)), other(`u${round}`));
      pass(10);
    }
    see();
    pass(120);
    see();
    expect(counting.figures()).to.include({ current: 0, pending: 0 });
  });
});

function judge(counting: Counting, who: string, admit: (id: string) => boolean): void {
  const had = counting.hasPlace(who);
  const { current, pending } = counting.figures();
  expect(admit(who), who).to.equal(had || current + pending < 3);
}
