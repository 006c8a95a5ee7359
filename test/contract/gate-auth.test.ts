import { expect } from 'chai';
import type { Ask } from '../../cmd/gate/domain/ask.ts';
import { postAuth } from '../../cmd/gate/http/auth.ts';
import { errorHandler } from '../../src/common/http/errors.ts';
import { plainApp } from '../../src/common/http/plain-app.ts';
import { useServers } from '../support/canary.ts';
import { testLogger } from '../support/logs.ts';

describe('POST /svc/auth', () => {
  const start = useServers();
  const serve = async (ask: Ask) => {
    const app = plainApp().post('/svc/auth', postAuth(ask)).use(errorHandler(testLogger()));
    return `http://127.0.0.1:${(await start(app)).port}`;
  };

  for (const [decision, status, body] of [
    [undefined, 200, '{}'],
    ['connection_limit_reached', 403, '{"code":"connection_limit_reached"}'],
    ['unknown_session', 403, '{"code":"unknown_session"}'],
  ] as const) {
    it(`answers ${status} with a tiny body and tiny headers: ${body}`, async () => {
      const url = await serve(async () => decision);
      const response = await fetch(`${url}/svc/auth`, { method: 'POST' });
      expect([response.status, await response.text()]).to.deep.equal([status, body]);
      expect(response.headers.get('x-svc-refusal')).to.equal(decision ?? null);
      expect(JSON.stringify([...response.headers]).length).to.be.lessThan(300);
    });
  }

  it('asks about the URI and the stage of the headers as they are, whatever the body', async () => {
    const asked: unknown[] = [];
    const url = await serve(async (question) => void asked.push(question));
    const twice = new Headers({ 'X-Original-URI': '/cool/ws', 'X-SVC-Stage': 'ws' });
    twice.append('X-Original-URI', '/cool/x');
    for (const init of [
      {},
      { headers: { 'X-SVC-Stage': 'ws' } },
      { headers: twice },
      { headers: { 'X-Original-URI': '/cool/é', 'X-SVC-Stage': 'ws' }, body: 'x'.repeat(100_000) },
      { headers: { 'X-Original-URI': '/cool/x', 'X-SVC-Stage': 'page', 'Content-Length': '5' }, body: '{"a"}' },
    ])
      expect((await fetch(`${url}/svc/auth`, { method: 'POST', ...init })).status).to.equal(200);
    expect(asked).to.deep.equal([
      { uri: '', stage: '' },
      { uri: '', stage: 'ws' },
      { uri: '/cool/ws, /cool/x', stage: 'ws' },
      { uri: '/cool/é', stage: 'ws' },
      { uri: '/cool/x', stage: 'page' },
    ]);
  });
});
