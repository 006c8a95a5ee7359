import { expect } from 'chai';
import fc from 'fast-check';
import { Counting, type CountingState } from '../../../cmd/gate/domain/counting.ts';
import type { EditorView } from '../../../cmd/gate/domain/ports.ts';
import { createView, FOREIGN } from '../../support/gate-openings.ts';

function start(limit: number) {
  const state = { now: 1_000_000, limit };
  const counting = new Counting({ limit: () => state.limit, clock: () => state.now });
  return {
    state,
    counting,
    /** Takes in what the editor lists now. */
    see: (...views: EditorView[]) =>
      counting.observe({ at: state.now, views, documents: views.length && 1, modified: [] }),
    pass: (seconds: number) => {
      state.now += seconds * 1000;
    },
    admit: (sessionId: string) => counting.admit(sessionId).admitted,
    admitForeign: (tokenHash: string, wopiSrc = FOREIGN) => counting.admitForeign({ wopiSrc, tokenHash }).admitted,
  };
}

/**
 * Histories of places, by the rule that each shows. `see` lists the views that the editor has: `a` is of session a,
 * `a/2` another one of it, `a:reads` only reads; `@` stands before users, and tokens, of another WOPI host.
 * `admit` and `refuse` ask for a place, `has` and `lacks` look for it, `socket` lets its WebSocket in, `count` is current
 * or current+pending.
 */
const HISTORIES: Record<string, string> = {
  'gives a session one place however often it asks and however many views it has': `
    limit 3; see; admit a; admit a; admit a; count 0+1; see a a/2 a/3 a/4; count 1+0`,
  'keeps a reservation for 60 s from the last time it was asked for': `
    limit 1; see; lacks a; admit a; pass 50; admit a; see; pass 59.999; has a; refuse b
    pass 0.001; lacks a; count 0+0; see; admit b`,
  'keeps a place for 120 s after its view drops, and its owner comes back into it': `
    limit 1; see a; has a; pass 10; see; count 1+0; pass 119.999; see; has a; refuse b; admit a
    see a; pass 10; see; pass 120; see; count 0; admit b`,
  'counts who comes back at the last moment, also before the editor lists them': `
    limit 1; admit a; see a; pass 10; see; pass 119; see; admit a; pass 2; refuse b; count 1
    see a; pass 10; see; pass 120; see; count 0+0`,
  'counts who comes back to another WOPI host at the last moment, too': `
    limit 1; admit @t1; see @u1; pass 10; see; pass 119; see; admit @t1; pass 2; refuse b; count 1
    see @u1; pass 10; see; pass 120; see; count 0+0`,
  'gives a released place back at once, but not while its view is still open': `
    limit 1; see; admit a; release a; count 0+0; admit b; see b; release b; count 1; refuse c
    pass 10; see; count 0; admit c`,
  'keeps the place of a WebSocket that was let in until a sample shows that its view has gone': `
    limit 1; see; admit a; socket a; release a; refuse b; count 0+1
    pass 4; see; refuse b
    pass 6; see a; refuse b; count 1+0
    pass 10; see; admit b; socket b; release b; pass 5; see; admit c`,
  'waits for the next sample once a listed place was released while all are taken, for 10 s': `
    limit 2; see a b; freeing no; release a; freeing yes
    limit 3; freeing no; limit 2; pass 10; freeing yes; pass 1; freeing no`,
  'keeps a place that was released and asked for again': `
    limit 1; see a; release a; admit a; see; count 1`,
  'leaves a session that may edit again its reservation while its old view only reads': `
    limit 1; see a:reads; admit a; see a:reads; count 0+1`,
  'cuts nobody off when the limit falls': `
    limit 3; see a b; admit c; pass 10; see a; limit 0; admit a; admit b; admit c; refuse d; count 2+1`,
  'keeps nothing for an hour because the clock was set back by one': `
    limit 3; see a b; pass 10; see b; admit c; pass -3600; see b; count 2+1; peak 2
    pass 60; see; count 2+0; pass 60; see; count 1; pass 60; see; count 0; admit d
    pass 119; see; peak 2; pass 300; see; peak 0`,
  'takes a sample that is from the future for none': `
    limit 0; see; pass -61; admit a; see; refuse b`,
  'keeps the places of an editor that is away for long, for 120 s after it is back': `
    limit 1; see a; pass 3600; count 1; see; pass 119; see; refuse b; admit a`,
  'shows the highest count of the last 300 s': `
    limit 9; see a b c; release b; release c; pass 10; see a; count 1; peak 3
    pass 289; peak 3; pass 1; peak 1`,
  'reserves by document and token on other WOPI hosts, and counts users': `
    limit 2; see; admit @t1; admit @t1; admit @t2; refuse @t3; refuse @t1/elsewhere
    see @u1 @u1/2; count 1+1; see @u1 @u2; count 2+0; admit @t1; admit @t2; refuse @t3`,
  'lets a user of another WOPI host who dropped come back, and takes nobody else for them': `
    limit 2; see; admit @t1; see @u1; pass 10; see; admit @t2; see @u1; count 1+1
    pass 200; see @u1 @u2; admit @t1; refuse @t2`,
  'gives the reservation back of who turns out to only read': `
    limit 1; see; admit @t1; see @u1:reads; count 0+0; admit @t2`,
  'counts views without a user one by one': `
    limit 9; see @ @/2; count 2`,
  'does not let made-up reservations keep sessions of ours out': `
    limit 2; see; crowd 50; admit a; admit b; refuse c; refuse @t`,
  'lets a crowd in without a sample, and takes no memory for more than could have a place': `
    limit 2; crowd 50; admit @t; count 0+2; pass 60; see; admit @a; admit @b; refuse @c`,
};

function play(history: string): void {
  const { state, counting, see, pass, admit, admitForeign } = start(0);
  const ask = (who: string) =>
    who.startsWith('@') ? admitForeign(...(who.slice(1).split('/') as [string, string?])) : admit(who);
  const done: string[] = [];
  for (const step of history.trim().split(/\s*[;\n]\s*/)) {
    const [what, ...words] = step.split(' ');
    const [word = ''] = words;
    done.push(step);
    const { current, pending, peak_5m } = counting.figures();
    const check = (found: unknown, expected: unknown = true) => expect(found, done.join('; ')).to.equal(expected);
    if (what === 'limit') state.limit = Number(word);
    else if (what === 'see') see(...words.map(toView));
    else if (what === 'pass') pass(Number(word));
    else if (what === 'admit' || what === 'refuse') check(ask(word), what === 'admit');
    else if (what === 'has' || what === 'lacks') check(counting.hasPlace(word), what === 'has');
    else if (what === 'crowd') for (let n = 0; n < Number(word); n += 1) admitForeign(`crowd ${n}`);
    else if (what === 'socket') check(counting.admitSocket(word).admitted);
    else if (what === 'release') counting.release(word);
    else if (what === 'count') check(word.includes('+') ? `${current}+${pending}` : `${current}`, word);
    else if (what === 'peak') check(peak_5m, Number(word));
    else if (what === 'freeing') check(counting.isFreeing(), word === 'yes');
    else throw new Error(`no such step: ${step}`);
  }
}

function toView(word: string): EditorView {
  const [, foreign, userId = '', number, reads] = /^(@?)([^/:]*)(?:\/(\d+))?(:reads)?$/.exec(word) ?? [];
  const view = foreign ? createView(userId, null) : createView(userId);
  return { ...view, viewId: number ?? view.viewId, readonly: reads !== undefined };
}

describe('counting', () => {
  for (const [rule, history] of Object.entries(HISTORIES)) it(rule, () => play(history));

  it('gives views that only read no place, and counts them', () => {
    const { counting, see } = start(5);
    see(...['a:reads', 'b', '@c:reads'].map(toView));
    expect(counting.figures()).to.include({ current: 1, readonly: 2, views_total: 3, documents: 1 });
  });

  it('lets everybody in before the first sample and 60 s after the last, and says so', () => {
    const { counting, see, pass, admit } = start(0);
    expect(admit('a')).to.equal(true);
    expect(counting.figures()).to.include({ enforcing: false, sample_age_seconds: null, pending: 1 });
    expect(counting.figures()).to.include({ readonly: 0, views_total: 0, documents: 0 });
    see();
    expect(admit('b')).to.equal(false);
    pass(60);
    expect([admit('b'), counting.figures().sample_age_seconds]).to.deep.equal([false, 60]);
    pass(0.001);
    expect([admit('b'), counting.figures().enforcing]).to.deep.equal([true, false]);
  });

  it('is never over the limit by admission, and refuses nobody while there is room', () => {
    const step = fc.record({
      who: fc.nat(8).map((n) => `s${n}`),
      what: fc.constantFrom('admit', 'open', 'drop', 'release', 'pass', 'see'),
      seconds: fc.nat(70),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { counting, see, pass, admit } = start(3);
        const open = new Set<string>();
        const list = () => see(...[...open].map((id) => createView(id)));
        const taken = () => counting.figures().current + counting.figures().pending;
        list();
        for (const { who, what, seconds } of steps) {
          const hasRoom = counting.hasPlace(who) || taken() < 3;
          if (what === 'admit') expect(admit(who), who).to.equal(hasRoom);
          // Only who was let in comes to have a view.
          if (what === 'open' && counting.hasPlace(who)) open.add(who);
          if (what === 'drop') open.delete(who);
          if (what === 'release') counting.release(who);
          if (what === 'pass') pass(seconds % 11);
          list();
          expect(taken()).to.be.at.most(3);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('forgets in its time who waits by a name that the release before wrote down', () => {
    const state = JSON.parse(JSON.stringify(start(2).counting)) as CountingState;
    state.foreign = {
      waiting: [[`${FOREIGN}\nt1`, 1_060_000]],
      users: [[`${FOREIGN}\nt2`, `${FOREIGN}\nu2`]],
      known: [],
    };
    let now = 1_000_000;
    const counting = new Counting({ limit: () => 2, clock: () => now }, state);
    const see = () => counting.observe({ at: now, views: [createView('u1', null)], documents: 1, modified: [] });
    see();
    expect(counting.figures()).to.include({ current: 1, pending: 1 });
    now += 60_000;
    see();
    expect(counting.figures()).to.include({ current: 1, pending: 0 });
    expect(counting.toJSON().foreign).to.deep.include({ waiting: [], users: [] });
  });

  it('keeps nothing of those who have gone', () => {
    const { counting, see, pass, admit, admitForeign } = start(1000);
    for (let round = 0; round < 360; round += 1) {
      const ids = Array.from({ length: 5 }, (_, index) => `${round}-${index}`);
      for (const id of ids) admit(id);
      admitForeign(`t${round}`);
      see(...ids.map((id) => createView(id)), createView(`u${round}`, null));
      pass(10);
    }
    see();
    pass(420);
    see();
    expect(counting.figures()).to.include({ current: 0, pending: 0 });
    expect(JSON.stringify(counting).length).to.be.below(500);
  });
});
