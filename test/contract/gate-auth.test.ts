import type { RequestListener, Server } from 'node:http';
import { expect } from 'chai';
import express from 'express';
import { type Ask, createAsk } from '../../cmd/gate/domain/ask.ts';
import type { SessionRecord } from '../../cmd/gate/domain/model.ts';
import { createLocalPlaces } from '../../cmd/gate/domain/places.ts';
import { hashToken } from '../../cmd/gate/domain/session-token.ts';
import { createWopiSrcReader } from '../../cmd/gate/domain/wopi-src.ts';
import { postAuth } from '../../cmd/gate/http/auth.ts';
import { getHealthz } from '../../cmd/gate/http/figures.ts';
import { limitPage } from '../../cmd/gate/http/limit-page.ts';
import { createAudit } from '../../src/common/audit.ts';
import { systemClock } from '../../src/common/clock.ts';
import { errorHandler } from '../../src/common/http/errors.ts';
import { plainApp } from '../../src/common/http/plain-app.ts';
import { createHttpServer } from '../../src/common/http/server.ts';
import { DOC, socket26, sourceOf, WOPI_URL } from '../support/gate-openings.ts';
import { portOf } from '../support/listen.ts';
import { secret, testLogger } from '../support/logs.ts';

const servers: Server[] = [];

async function listen(handler: RequestListener): Promise<string> {
  const server = createHttpServer(handler).listen(0, '127.0.0.1');
  servers.push(server);
  return `http://127.0.0.1:${await portOf(server)}`;
}

const authOf = (ask: Ask): RequestListener =>
  plainApp().post('/svc/auth', postAuth(ask)).use(errorHandler(testLogger()));

function closeAll(): void {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
}

async function startGate(limit: number) {
  const sessions = new Map<string, SessionRecord>();
  const places = createLocalPlaces({ limit: () => limit, clock: systemClock });
  await places.observe({ at: Date.now(), views: [], documents: 0, modified: new Set() });
  const ask = createAsk({
    openSessions: { byToken: async (hash) => sessions.get(hash), byDocument: async () => [] },
    places,
    readWopiSrc: createWopiSrcReader(WOPI_URL),
    foreignHosts: true,
    onOpened: () => undefined,
    clock: systemClock,
    log: testLogger(),
    audit: createAudit('gate', 'off', testLogger()),
  });
  const open = (token: string) => {
    const tokenHash = hashToken(token);
    const record = { sessionId: `ses_${token}`, docId: DOC, mode: 'edit', tokenHash, closedAt: null };
    sessions.set(tokenHash, { ...record, expiresAt: Date.now() + 60_000 } as SessionRecord);
  };
  return { places, open, url: await listen(authOf(ask)) };
}

const headers = (uri: string, stage = 'ws') => ({
  'X-Original-URI': uri,
  'X-Original-Method': 'GET',
  'X-SVC-Stage': stage,
});
const call = (url: string, init: RequestInit) => fetch(`${url}/svc/auth`, { method: 'POST', ...init });

describe('POST /svc/auth', () => {
  after(closeAll);

  it('answers 200 or 403 with a tiny body and tiny headers', async () => {
    const { url, open } = await startGate(1);
    const [first, second] = [secret('token-of-the-first'), secret('token-of-the-second')];
    open(first);
    open(second);
    const answers = [];
    for (const token of [first, second, 'unknown']) {
      const response = await call(url, { headers: headers(socket26(sourceOf(DOC), token)) });
      answers.push([response.status, await response.text()]);
      expect(response.headers.get('x-svc-refusal')).to.equal(
        response.ok ? null : JSON.parse(answers.at(-1)?.[1] as string).code,
      );
      expect(JSON.stringify([...response.headers]).length).to.be.lessThan(300);
    }
    expect(answers).to.deep.equal([
      [200, '{}'],
      [403, '{"code":"connection_limit_reached"}'],
      [403, '{"code":"unknown_session"}'],
    ]);
  });

  it('refuses whatever lacks a readable URI or stage, with any body', async () => {
    const { url } = await startGate(1);
    const uri = socket26(sourceOf(DOC), 'x');
    const twice = new Headers(headers(uri));
    twice.append('X-Original-URI', uri);
    for (const init of [
      {},
      { headers: headers('/cool/x') },
      { headers: { 'X-SVC-Stage': 'ws' } },
      { headers: headers(uri, 'page') },
      { headers: twice },
      { headers: headers('/cool/é'), body: 'x'.repeat(100_000) },
      { headers: { ...headers('/cool/x'), 'Content-Length': '5' }, body: '{"a"}' },
    ]) {
      expect((await call(url, init)).status, JSON.stringify(init).slice(0, 200)).to.equal(403);
    }
  });

  it('lets in when the decision itself fails', async () => {
    const url = await listen(
      authOf(() => {
        throw new Error('a mistake of ours');
      }),
    );
    expect((await call(url, {})).status).to.equal(200);
  });

  it('lets 200 connections that race for 20 places have exactly 20', async () => {
    const { url, open, places } = await startGate(20);
    for (let round = 0; round < 5; round += 1) {
      const tokens = Array.from({ length: 200 }, (_, index) => `r${round}n${index}`);
      for (const token of tokens) open(token);
      const statuses = await Promise.all(
        tokens.map(async (token) => {
          const response = await call(url, { headers: headers(socket26(sourceOf(DOC), token)) });
          await response.arrayBuffer();
          return response.status;
        }),
      );
      expect(statuses.filter((status) => status === 200)).to.have.length(20);
      for (const token of tokens) await places.use((counting) => counting.release(`ses_${token}`));
      // A sample in which none of them has come frees their places.
      await places.observe({ at: Date.now() + 5_000, views: [], documents: 0, modified: new Set() });
    }
  });
});

describe('the page for when all places are taken', () => {
  after(closeAll);

  it('is 429, small, in two languages, without scripts or anything from elsewhere', async () => {
    const app = express();
    app.get('/limit', limitPage()).get('/svc/healthz', getHealthz());
    const url = await listen(app);
    const response = await fetch(`${url}/limit`);
    const page = await response.text();
    expect(response.status).to.equal(429);
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).to.match(/^default-src 'none'; style-src 'sha256-/);
    expect(page.length).to.be.lessThan(4096);
    expect(page)
      .to.match(/<html lang="vi">/)
      .and.match(/<section lang="en">/);
    expect(page).to.not.match(/<script|<link|<img|<iframe|<form|\son\w+=|url\(|https?:|src=/i);
    expect(await (await fetch(`${url}/svc/healthz`)).json()).to.deep.equal({ ok: true });
  });
});
