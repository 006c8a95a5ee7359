import { expect } from 'chai';
import { type RunningFront, startFront } from './support/nginx.ts';
import { send } from './support/raw.ts';
import { startUpstreams, type Upstreams } from './support/upstreams.ts';
import { PAGE, SOCKETS } from './targets.ts';

describe('front', () => {
  let upstreams: Upstreams;
  let front: RunningFront;
  before(async () => {
    upstreams = await startUpstreams();
    front = await startFront(upstreams.addresses);
  });
  after(async () => {
    await front.stop();
    await upstreams.stop();
  });

  it('hands the gate nothing of a request but what it decides by', async () => {
    const headers = {
      ...{ Authorization: 'Bearer of-somebody', Cookie: 'session=1', 'X-Anything': 'x'.repeat(10_000) },
      ...{ 'X-Original-URI': '/spoofed', 'X-SVC-Stage': 'page', Expect: '100-continue' },
    };
    await send(front.url, { target: PAGE, method: 'POST', body: 'access_token=x', headers });
    await send(front.url, { target: SOCKETS[0] ?? '', upgrade: true, headers });
    const asked = upstreams.seen('gateInternal');
    expect(asked.map((ask) => ask.headers['x-svc-stage'])).to.deep.equal(['page', 'ws']);
    for (const { headers: seen } of asked) {
      expect(Object.keys(seen)).to.have.members([
        ...['host', 'content-length', 'x-original-uri', 'x-original-method', 'x-svc-stage'],
      ]);
    }
  });

  it('takes a gate that cannot read the question for one that refuses', async () => {
    for (const status of [400, 414, 431]) {
      await upstreams.behave('gateInternal', { status });
      const page = await send(front.url, { target: PAGE, method: 'POST', body: 'access_token=x' });
      const socket = await send(front.url, { target: SOCKETS[0] ?? '', upgrade: true });
      expect([page.status, socket.status], `${status}`).to.deep.equal([429, 403]);
    }
    await upstreams.behave('gateInternal', { status: 200 });
  });
});
