import { expect } from 'chai';
import { createAsk, type Decision, type Question } from '../../../cmd/gate/domain/ask.ts';
import { Counting } from '../../../cmd/gate/domain/counting.ts';
import type { SessionRecord } from '../../../cmd/gate/domain/model.ts';
import { hashToken } from '../../../cmd/gate/domain/session-token.ts';
import { createWopiSrcReader } from '../../../cmd/gate/domain/wopi-src.ts';
import {
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

function start(limit: number, foreignHosts = true) {
  const state = { now: 1_000_000, broken: false };
  const sessions = new Map<string, SessionRecord>();
  const events: object[] = [];
  const opened: number[] = [];
  const counting = new Counting({ limit: () => limit, clock: () => state.now });
  const isOpen = (session: SessionRecord) => {
    if (state.broken) throw new Error('a mistake of ours');
    return session.closedAt === null;
  };
  const ask = createAsk({
    openSessions: {
      byToken: async (hash) => [sessions.get(hash)].find((session) => session && isOpen(session)),
      byDocument: async (docId) =>
        [...sessions.values()].filter((session) => isOpen(session) && session.docId === docId),
    },
    places: { use: (work) => work(counting) },
    readWopiSrc: createWopiSrcReader(WOPI_URL),
    foreignHosts,
    onOpened: () => void opened.push(state.now),
    clock: () => state.now,
    log: testLogger(),
    audit: {
      record: (event, facts) => void events.push({ event, ...facts }),
      close: async () => undefined,
    },
  });
  counting.observe({ at: state.now, views: [], documents: 0, modified: [] });
  return {
    state,
    counting,
    events,
    opened,
    session: (token: string, more: Partial<SessionRecord> = {}): SessionRecord => {
      const session = sessionRecord({
        sessionId: `ses_${token}`,
        docId: DOC,
        tokenHash: hashToken(token),
        expiresAt: state.now + 60_000,
        ...more,
      });
      sessions.set(session.tokenHash, session);
      return session;
    },
    ws: (uri: string): Promise<Decision> => ask({ uri, stage: 'ws' }),
    page: (uri: string): Promise<Decision> => ask({ uri, stage: 'page' }),
    ask: (question: Question): Promise<Decision> => ask(question),
  };
}

const LIMIT = 'connection_limit_reached';
const own = (token: string): string => socket26(toWopiSrc(DOC), token);

describe('the decision whether a session may open', () => {
  it('at the socket: an edit session needs a place, a view session none', async () => {
    const { session, ws, opened } = start(1);
    for (const token of ['one', 'two']) session(token);
    session('reader', { mode: 'view' });
    expect(await ws(own('one'))).to.equal(undefined);
    expect(await ws(own('two'))).to.equal(LIMIT);
    expect(await ws(own('reader'))).to.equal(undefined);
    expect(await ws(socket25(toWopiSrc(DOC), 'one', 2))).to.equal(undefined);
    expect(opened, 'those let in').to.have.lengthOf(3);
  });

  it('lets in who got a place before, whatever came since', async () => {
    const { session, ws, counting } = start(1);
    const { sessionId } = session('one');
    session('two');
    expect(counting.admit(sessionId).admitted).to.equal(true);
    expect(await ws(own('two'))).to.equal(LIMIT);
    expect(await ws(own('one'))).to.equal(undefined);
  });

  it('refuses no token, an unknown one, one of another document, an expired and a deleted session', async () => {
    const { session, ws, state } = start(9);
    session('elsewhere', { docId: OTHER_DOC });
    session('late', { expiresAt: state.now });
    session('gone', { closedAt: state.now - 1 });
    for (const token of ['', 'unknown', 'elsewhere', 'late', 'gone']) {
      expect(await ws(own(token)), token).to.equal('unknown_session');
    }
    expect(await ws(`/cool/ws?WOPISrc=${escaped(toWopiSrc(DOC))}`)).to.equal('unknown_session');
  });

  it('refuses what cannot be read, and an unknown stage', async () => {
    const { ask, ws } = start(9);
    expect(await ws('/cool/ws')).to.equal('unreadable');
    for (const stage of ['', 'Page', 'ws, ws', 'other'])
      expect(await ask({ uri: own('x'), stage })).to.equal('unreadable');
  });

  it('caps other WOPI hosts by document and token; read-only is not counted, view is', async () => {
    const { ws } = start(1);
    expect(await ws(socket26(FOREIGN, 'a'))).to.equal(undefined);
    expect(await ws(socket25(FOREIGN, 'a'))).to.equal(undefined);
    expect(await ws(socket26(FOREIGN, 'b'))).to.equal(LIMIT);
    expect(await ws(socket26(FOREIGN, 'b', '&permission=view'))).to.equal(LIMIT);
    expect(await ws(socket26(FOREIGN, 'b', '&permission=readonly'))).to.equal(undefined);
  });

  it('shuts out other WOPI hosts where it is told to, and keeps no place for them', async () => {
    const { ws, page: at, session, counting } = start(1, false);
    for (const uri of [socket26(FOREIGN, 'a'), socket25(FOREIGN, 'a'), socket26(FOREIGN, 'b', '&permission=readonly')])
      expect(await ws(uri)).to.equal('foreign_host');
    expect(await at(page(FOREIGN))).to.equal('foreign_host');
    expect(counting.figures().pending).to.equal(0);
    session('one');
    expect(await ws(own('one'))).to.equal(undefined);
  });

  it('at the page: stops only who could not get a place', async () => {
    const { page: at, session, counting } = start(1);
    expect(await at(page(toWopiSrc(DOC)))).to.equal(undefined);
    expect(await at(page(FOREIGN))).to.equal(undefined);
    counting.admit('somebody');
    expect(await at(page(toWopiSrc(DOC))), 'the editor itself tells that there is no session').to.equal(undefined);
    session('one');
    expect(await at(page(toWopiSrc(DOC)))).to.equal(LIMIT);
    expect(await at(page(toWopiSrc(DOC), '&permission=readonly'))).to.equal(undefined);
    expect(await at(page(FOREIGN))).to.equal(LIMIT);
    session('two', { mode: 'view' });
    expect(await at(page(toWopiSrc(DOC)))).to.equal(undefined);
  });

  it('at the page: lets in where somebody is already', async () => {
    const { page: at, session, counting, state } = start(2);
    const { sessionId } = session('one');
    counting.admit(sessionId);
    const view = { docId: null, wopiSrc: FOREIGN, userId: 'u', viewId: '1', readonly: false };
    counting.observe({ at: state.now, views: [view], documents: 1, modified: [] });
    expect(await at(page(toWopiSrc(DOC)))).to.equal(undefined);
    expect(await at(page(FOREIGN))).to.equal(undefined);
    expect(await at(page(`${FOREIGN}0`))).to.equal(LIMIT);
  });

  it('lets in when it fails itself, but still refuses what cannot be read', async () => {
    const { state, ws, page: at, counting, session } = start(1);
    session('one');
    counting.admit('somebody');
    state.broken = true;
    expect([await ws(own('one')), await at(page(toWopiSrc(DOC)))]).to.deep.equal([undefined, undefined]);
    expect(await ws('/cool/x')).to.equal('unreadable');
  });

  it('records refusals with the document and whose session it is, and with neither token nor address', async () => {
    const { ws, events, session, page: at, counting } = start(1);
    session('late');
    counting.admit('somebody');
    await ws(own('unknown'));
    await ws(own('late'));
    await at(page(toWopiSrc(DOC)));
    await ws('/cool/x');
    const event = { event: 'connection.refused' };
    expect(events).to.deep.equal([
      { ...event, reason: 'unknown_session', document: DOC },
      { ...event, reason: 'connection_limit_reached', document: DOC, session: 'ses_late' },
      { ...event, reason: 'connection_limit_reached', document: DOC },
      { ...event, reason: 'unreadable' },
    ]);
  });
});
