import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createAsk, type Decision } from '../../../cmd/gate/domain/ask.ts';
import { createCounting } from '../../../cmd/gate/domain/counting.ts';
import type { SessionRecord } from '../../../cmd/gate/domain/model.ts';
import { hashOfToken } from '../../../cmd/gate/domain/session-token.ts';
import { createWopiSrcReader } from '../../../cmd/gate/domain/wopi-src.ts';
import type { AuditEvent } from '../../../src/common/audit.ts';
import {
  DOC,
  escaped,
  FOREIGN,
  OTHER_DOC,
  page,
  socket25,
  socket26,
  sourceOf,
  WOPI_URL,
} from '../../support/gate-openings.ts';
import { testLogger } from '../../support/logs.ts';

function start(limit: number) {
  const state = { now: 1_000_000, broken: false };
  const sessions = new Map<string, SessionRecord>();
  const events: AuditEvent[] = [];
  const counting = createCounting({ limit: () => limit, clock: () => state.now });
  const stored = async <T>(value: T): Promise<T> => {
    await pause(Math.random() < 0.1 ? 1 : 0);
    if (state.broken) throw new Error('the disk is gone');
    return value;
  };
  const ask = createAsk({
    findSession: (hash) => stored(sessions.get(hash)),
    liveSessions: (docId) => stored([...sessions.values()].filter((session) => session.docId === docId)),
    counting,
    readWopiSrc: createWopiSrcReader(WOPI_URL),
    clock: () => state.now,
    log: testLogger(),
    audit: { record: (event) => void events.push(event), close: async () => undefined },
  });
  counting.sampled({ at: state.now, views: [], documents: 0, modified: new Set() });
  return {
    state,
    counting,
    events,
    session: (token: string, more: Partial<SessionRecord> = {}): SessionRecord => {
      const session: SessionRecord = {
        sessionId: `ses_${token}`,
        docId: DOC,
        mode: 'edit',
        requestedMode: 'edit',
        tokenHash: hashOfToken(token),
        user: { id: 'u', name: 'U' },
        lang: 'vi',
        ui: {},
        origin: null,
        createdAt: 0,
        expiresAt: state.now + 60_000,
        hasEdited: false,
        closedAt: null,
        ...more,
      };
      sessions.set(session.tokenHash, session);
      return session;
    },
    ws: (uri: string): Promise<Decision> => ask({ uri, stage: 'ws' }),
    page: (uri: string): Promise<Decision> => ask({ uri, stage: 'page' }),
    ask,
  };
}

const LIMIT = 'connection_limit_reached';
const own = (token: string): string => socket26(sourceOf(DOC), token);

describe('the decision whether a session may open', () => {
  it('at the socket: an edit session needs a place, a view session none', async () => {
    const { session, ws } = start(1);
    for (const token of ['one', 'two']) session(token);
    session('reader', { mode: 'view' });
    expect(await ws(own('one'))).to.equal(undefined);
    expect(await ws(own('two'))).to.equal(LIMIT);
    expect(await ws(own('reader'))).to.equal(undefined);
    expect(await ws(socket25(sourceOf(DOC), 'one', 2))).to.equal(undefined);
  });

  it('lets in who got a place before, whatever came since', async () => {
    const { session, ws, counting } = start(1);
    const { sessionId } = session('one');
    session('two');
    expect(counting.admit({ sessionId, docId: DOC }).admitted).to.equal(true);
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
    expect(await ws(`/cool/ws?WOPISrc=${escaped(sourceOf(DOC))}`)).to.equal('unknown_session');
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

  it('at the page: stops only who could not get a place', async () => {
    const { page: at, session, counting } = start(1);
    expect(await at(page(sourceOf(DOC)))).to.equal(undefined);
    expect(await at(page(FOREIGN))).to.equal(undefined);
    counting.admit({ sessionId: 'somebody', docId: OTHER_DOC });
    expect(await at(page(sourceOf(DOC))), 'the editor itself tells that there is no session').to.equal(undefined);
    session('one');
    expect(await at(page(sourceOf(DOC)))).to.equal(LIMIT);
    expect(await at(page(sourceOf(DOC), '&permission=readonly'))).to.equal(undefined);
    expect(await at(page(FOREIGN))).to.equal(LIMIT);
    session('two', { mode: 'view' });
    expect(await at(page(sourceOf(DOC)))).to.equal(undefined);
  });

  it('at the page: lets in where somebody is already', async () => {
    const { page: at, session, counting, state } = start(2);
    const { sessionId } = session('one');
    counting.admit({ sessionId, docId: DOC });
    const view = { docId: null, wopiSrc: FOREIGN, userId: 'u', viewId: '1', readonly: false };
    counting.sampled({ at: state.now, views: [view], documents: 1, modified: new Set() });
    expect(await at(page(sourceOf(DOC)))).to.equal(undefined);
    expect(await at(page(FOREIGN))).to.equal(undefined);
    expect(await at(page(`${FOREIGN}0`))).to.equal(LIMIT);
  });

  it('lets in when it fails itself, but still refuses what cannot be read', async () => {
    const { state, ws, page: at, counting, session } = start(1);
    session('one');
    counting.admit({ sessionId: 'somebody', docId: OTHER_DOC });
    state.broken = true;
    expect([await ws(own('one')), await at(page(sourceOf(DOC)))]).to.deep.equal([undefined, undefined]);
    expect(await ws('/cool/x')).to.equal('unreadable');
  });

  it('records refusals, with neither token nor address', async () => {
    const { ws, events } = start(9);
    await ws(own('unknown'));
    expect(events).to.deep.equal(['connection.refused']);
  });

  it('gives 200 that race for 20 places exactly 20, in each of 50 rounds', async () => {
    const { state, session, ws, counting } = start(20);
    for (let round = 0; round < 50; round += 1) {
      const tokens = Array.from({ length: 200 }, (_, index) => `r${round}n${index}`);
      for (const token of tokens) session(token, { expiresAt: state.now + 1e9 });
      const answers = await Promise.all(tokens.flatMap((token) => [ws(own(token)), ws(own(token))]));
      expect(answers.filter((answer) => answer === undefined)).to.have.length(40);
      expect(counting.figures()).to.include({ current: 0, pending: 20 });
      state.now += 60_000;
      counting.sampled({ at: state.now, views: [], documents: 0, modified: new Set() });
    }
  });
});
