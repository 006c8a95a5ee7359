import { expect } from 'chai';
import { createAsk, type Decision } from '../../../cmd/gate/domain/ask.ts';
import { Counting } from '../../../cmd/gate/domain/counting.ts';
import type { SessionRecord } from '../../../cmd/gate/domain/model.ts';
import { hashToken } from '../../../cmd/gate/domain/session-token.ts';
import { createWopiSrcReader } from '../../../cmd/gate/domain/wopi-src.ts';
import {
  createView,
  DOC,
  escaped,
  FOREIGN,
  OTHER_DOC,
  page,
  socket25,
  socket26,
  toWopiSrc,
  WOPI_URL,
} from '../../support/gate-openings.ts';
import { sessionRecord } from '../../support/gate-records.ts';
import { testLogger } from '../../support/logs.ts';

const OUTCOMES: Record<string, Decision> = {
  ...{ in: undefined, full: 'connection_limit_reached', unknown: 'unknown_session' },
  ...{ foreign: 'foreign_host', unreadable: 'unreadable' },
};
const NOW = 1_000_000;
const SESSIONS: Record<string, Partial<SessionRecord>> = {
  ...{ edits: {}, views: { mode: 'view' }, elsewhere: { docId: OTHER_DOC } },
  ...{ late: { expiresAt: NOW }, gone: { closedAt: NOW - 1 } },
};

/**
 * Histories of questions, by the rule that each shows. `edits a` and its like make a session with the token `a`, `admit`
 * gives a place, `seen @` is a sample with a view of another WOPI host. A question begins with what is decided: `in ws a`
 * asks for the socket of a session, `in ws25 a` for that of the older release, `in page` for the page; `@` stands for
 * another WOPI host, before a token; a permission follows a colon.
 */
const HISTORIES: Record<string, string> = {
  'at the socket: an edit session needs a place, a view session none': `
    places 1; edits one; edits two; views reader
    in ws one; full ws two; in ws reader; in ws25 one; opened 3`,
  'lets in who got a place before, whatever came since': `
    places 1; edits one; edits two; admit one; full ws two; in ws one`,
  'refuses no token, an unknown one, one of another document, an expired and a deleted session': `
    places 9; elsewhere a; late b; gone c; unknown ws; unknown ws nobody; unknown ws a; unknown ws b; unknown ws c
    unknown raw /cool/ws?WOPISrc=${escaped(toWopiSrc(DOC))}`,
  'refuses what cannot be read, and an unknown stage': `
    places 9; edits x; unreadable raw /cool/ws; unreadable stage x; unreadable Page x; unreadable other x`,
  'caps other WOPI hosts by document and token; read-only is not counted, view is': `
    places 1; in ws @a; in ws25 @a; full ws @b; full ws @b:view; in ws @b:readonly`,
  'shuts out other WOPI hosts where it is told to, and keeps no place for them': `
    shut; places 1; foreign ws @a; foreign ws25 @a; foreign ws @b:readonly; foreign page @; pending 0
    edits one; in ws one`,
  'at the page: stops only who could not get a place; the editor itself tells that there is no session': `
    places 1; in page; in page @; admit somebody; in page; edits one
    full page; in page :readonly; full page @; views two; in page`,
  'at the page: lets in where somebody is already': `
    places 2; edits one; admit one; seen @; in page; in page @; full page @0`,
  'lets in when it fails itself, but still refuses what cannot be read': `
    places 1; edits one; admit somebody; breaks; in ws one; in page; unreadable raw /cool/x`,
};

function start(foreignHosts = true) {
  const state = { limit: 0, broken: false, opened: 0, lookups: 0 };
  const sessions = new Map<string, SessionRecord>();
  const events: object[] = [];
  const counting = new Counting({ limit: () => state.limit, clock: () => NOW });
  const isOpen = ({ closedAt }: SessionRecord) => {
    if (state.broken) throw new Error('a mistake of ours');
    return closedAt === null;
  };
  const ask = createAsk({
    openSessions: {
      byToken: async (hash) => {
        state.lookups += 1;
        return [sessions.get(hash)].find((session) => session && isOpen(session));
      },
      byDocument: async (docId) =>
        [...sessions.values()].filter((session) => isOpen(session) && session.docId === docId),
    },
    places: { use: (work) => work(counting) },
    readWopiSrc: createWopiSrcReader(WOPI_URL),
    foreignHosts,
    onOpened: () => {
      state.opened += 1;
    },
    clock: () => NOW,
    log: testLogger(),
    audit: { record: (event, facts) => void events.push({ event, ...facts }), close: async () => undefined },
  });
  const see = (...users: string[]) => {
    const views = users.map((user) => createView(user, null));
    counting.observe({ at: NOW, views, documents: views.length, modified: [] });
  };
  see();
  const enter = (token: string, changes: Partial<SessionRecord> = {}) => {
    const own = { sessionId: `ses_${token}`, docId: DOC, tokenHash: hashToken(token), expiresAt: NOW + 60_000 };
    sessions.set(own.tokenHash, sessionRecord({ ...own, ...changes }));
  };
  return { state, counting, events, ask, see, enter };
}

/** Converts the words of a question to what the proxy asks. */
function toQuestion(stage = '', word = ''): { uri: string; stage: string } {
  if (stage === 'raw') return { uri: word, stage: 'ws' };
  const [name = '', permission] = word.split(':');
  const more = permission ? `&permission=${permission}` : '';
  const [source, token] = name.startsWith('@') ? [FOREIGN, name.slice(1)] : [toWopiSrc(DOC), name];
  if (stage === 'page') return { uri: page(source === FOREIGN ? source + token : source, more), stage };
  if (stage === 'ws25') return { uri: socket25(source, token, 2), stage: 'ws' };
  return { uri: socket26(source, token, more), stage };
}

describe('the decision whether a session may open', () => {
  for (const [rule, history] of Object.entries(HISTORIES))
    it(rule, async () => {
      const { state, counting, ask, see, enter } = start(!history.includes('shut;'));
      for (const step of history.trim().split(/\s*[;\n]\s*/)) {
        const [what = '', word = '', ...more] = step.split(' ');
        if (what in OUTCOMES) expect(await ask(toQuestion(word, ...more)), step).to.equal(OUTCOMES[what]);
        else if (what in SESSIONS) enter(word, SESSIONS[what]);
        else if (what === 'places') state.limit = Number(word);
        else if (what === 'admit') expect(counting.admit(`ses_${word}`).admitted).to.equal(true);
        else if (what === 'seen') see('u');
        else if (what === 'breaks') state.broken = true;
        else if (what === 'opened') expect(state.opened).to.equal(Number(word));
        else if (what === 'pending') expect(counting.figures().pending).to.equal(Number(word));
        else if (what !== 'shut') throw new Error(`no such step: ${step}`);
      }
    });

  it('records refusals with the document and whose session it is, and with neither token nor address', async () => {
    const { ask, events, enter, counting, state } = start();
    state.limit = 1;
    enter('late');
    counting.admit('somebody');
    for (const [stage, word] of ['ws unknown', 'ws late', 'page', 'raw /cool/x'].map((text) => text.split(' ')))
      await ask(toQuestion(stage, word));
    const event = { event: 'connection.refused' };
    expect(events).to.deep.equal([
      { ...event, reason: 'unknown_session', document: DOC },
      { ...event, reason: 'connection_limit_reached', document: DOC, session: 'ses_late' },
      { ...event, reason: 'connection_limit_reached', document: DOC },
      { ...event, reason: 'unreadable' },
    ]);
    // A database that is slow from then on would keep a refusal from the proxy, which lets in after 5 s.
    expect(state.lookups, 'one for each socket').to.equal(2);
  });

  it('keeps little of each who asks for a long address elsewhere: what all gates share is read at each opening', async () => {
    const { ask, counting, state } = start();
    state.limit = 500;
    for (let token = 0; token < 100; token += 1)
      expect(await ask({ uri: socket26(`http://x/${'a'.repeat(7_900)}`, String(token)), stage: 'ws' })).to.equal(
        undefined,
      );
    expect(counting.figures().pending).to.equal(100);
    expect(JSON.stringify(counting).length).to.be.below(20_000);
  });
});
