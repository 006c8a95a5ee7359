import { once } from 'node:events';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type RunningFront, startFront } from './support/nginx.ts';
import { open, requestText, send } from './support/raw.ts';
import { type SlowClient, type SlowOptions, startSlowClient } from './support/slow.ts';
import { startUpstreams, type Upstreams } from './support/upstreams.ts';
import { SOCKETS } from './targets.ts';

const SOCKET = SOCKETS[0] ?? '';
const UPGRADE = { Upgrade: 'websocket' };

describe('front, with a client that holds requests open', () => {
  let upstreams: Upstreams;
  let front: RunningFront | undefined;
  let clients: SlowClient[];

  beforeEach(async () => {
    upstreams = await startUpstreams();
    clients = [];
  });

  afterEach(async () => {
    for (const client of clients) client.stop();
    await front?.stop();
    await upstreams.stop();
  });

  const start = async (limits: NonNullable<Parameters<typeof startFront>[1]>['limits']): Promise<URL> => {
    front = await startFront(upstreams.addresses, { limits: limits ?? {} });
    return front.url;
  };
  /** So many slow requests: those that are let in reach the gate, and the others are answered. */
  const hold = async (url: URL, options: SlowOptions, letIn: number): Promise<SlowClient> => {
    upstreams.seen('gate');
    const client = startSlowClient(url, options);
    clients.push(client);
    let reached = 0;
    await until('all are let in or answered', () => {
      reached += upstreams.seen('gate').length;
      expect(reached).to.be.at.most(letIn);
      return (reached === letIn && client.answers.length === options.count - letIn) || undefined;
    });
    return client;
  };
  const forwarded = (address: string) => ({ target: '/svc/limits', headers: { 'X-Forwarded-For': address } });

  it('lets it have so many, tells it why it gets no more, and serves others', async () => {
    const url = await start({ requestsPerAddress: 20 });
    const client = await hold(url, { count: 50, from: '127.0.0.2' }, 20);
    for (const answer of client.answers) {
      expect(answer)
        .to.match(/^HTTP\/1\.1 429 /)
        .and.match(/\r\nRetry-After: 2\r\n/);
      const { error } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
      expect(error)
        .to.include({ code: 'rate_limited' })
        .and.have.nested.property('detail.reason', 'requests_in_progress');
      expect(answer).to.include(`X-SVC-Request-Id: ${error.request_id}\r\n`);
    }
    expect((await send(url, { target: '/svc/limits' })).status).to.equal(200);
  });

  it('lets it have as many again once they have ended', async () => {
    const url = await start({ requestsPerAddress: 3 });
    const client = await hold(url, { count: 3, from: '127.0.0.1' }, 3);
    expect((await send(url, { target: '/svc/limits' })).status).to.equal(429);
    client.stop();
    await until('it is served', async () => (await send(url, { target: '/svc/limits' })).status === 200);
    await hold(url, { count: 4, from: '127.0.0.1' }, 3);
  });

  it('answers 429 on every path that waits for a body, and lets editing sockets pass', async () => {
    const url = await start({ requestsPerAddress: 1 });
    await hold(url, { count: 1, from: '127.0.0.1' }, 1);
    for (const [target, headers = {}] of [
      ['/svc/limits'],
      ['/v1/convert'],
      ['/browser/x/cool.html'],
      ['/hosting/discovery'],
      ['/cool/x/insertfile'],
      // No editing sockets, whatever they ask for.
      ['/cool/a/ws/../x', UPGRADE],
      ['/cool/ws/..?x', UPGRADE],
      ['/cool/x/../ws', UPGRADE],
      ['/svc/limits', UPGRADE],
      [SOCKET],
      [SOCKET, UPGRADE],
    ] as const) {
      const { status, body } = await send(url, { target, method: 'POST', headers, body: '{}' });
      expect([status, body.includes('"rate_limited"')], `${target} ${JSON.stringify(headers)}`).to.deep.equal([
        429,
        true,
      ]);
    }
    const around = await send(url, { target: '/cool/a/ws/../x', headers: UPGRADE });
    expect(around.status).to.equal(429);
    const sockets = Array.from({ length: 5 }, () => send(url, { target: SOCKET, upgrade: true }));
    expect((await Promise.all(sockets)).map(({ status }) => status)).to.deep.equal([101, 101, 101, 101, 101]);
  });

  it('counts editing sockets as no requests', async () => {
    const url = await start({ requestsPerAddress: 1, requests: 1 });
    const socket = open(url);
    try {
      socket.write(requestText(url, { target: SOCKET, upgrade: true }));
      await once(socket, 'data');
      expect((await send(url, { target: '/svc/limits' })).status).to.equal(200);
    } finally {
      socket.destroy();
    }
  });

  it('lets all clients together have so many', async () => {
    const url = await start({ requestsPerAddress: 10, requests: 15 });
    await hold(url, { count: 10, from: '127.0.0.2' }, 10);
    await hold(url, { count: 10, from: '127.0.0.3' }, 5);
    expect((await send(url, { target: '/svc/limits' })).status).to.equal(429);
  });

  it('tells clients apart by what a trusted edge says, and by nothing that they say themselves', async () => {
    const url = await start({ requestsPerAddress: 5, trustedEdges: ['127.0.0.1', '10.0.0.0/8'] });
    const held = ['X-Forwarded-For: 203.0.113.7'];
    await hold(url, { count: 6, from: '127.0.0.1', headers: held }, 5);
    const refused = ['203.0.113.7', '198.51.100.1, 203.0.113.7', '203.0.113.7, 10.1.2.3'];
    for (const address of refused) expect((await send(url, forwarded(address))).status, address).to.equal(429);
    for (const address of ['203.0.113.8', '203.0.113.7, 203.0.113.8']) {
      expect((await send(url, forwarded(address))).status, address).to.equal(200);
    }
    // Others than the edge speak for themselves.
    await hold(url, { count: 6, from: '127.0.0.2', headers: ['X-Forwarded-For: 203.0.113.9'] }, 5);
    expect((await send(url, forwarded('203.0.113.9'))).status).to.equal(200);
    expect((await send(url, forwarded('127.0.0.2'))).status).to.equal(429);
  });

  it('takes the address that the edge saw, whatever it is, where edges are not said to be in a row', async () => {
    const url = await start({ requestsPerAddress: 5, trustedEdges: ['127.0.0.1', '10.0.0.0/8'], trustedChain: false });
    // A client inside names another address, and the edge adds its own.
    await hold(url, { count: 6, from: '127.0.0.1', headers: ['X-Forwarded-For: 203.0.113.7, 10.1.2.3'] }, 5);
    for (const address of ['10.1.2.3', '203.0.113.8, 10.1.2.3']) {
      expect((await send(url, forwarded(address))).status, address).to.equal(429);
    }
    for (const address of ['203.0.113.7', '10.1.2.3, 10.1.2.4']) {
      expect((await send(url, forwarded(address))).status, address).to.equal(200);
    }
  });

  it('takes nobody for an edge unless it is told', async () => {
    const url = await start({ requestsPerAddress: 5 });
    await hold(url, { count: 6, from: '127.0.0.1', headers: ['X-Forwarded-For: 203.0.113.7'] }, 5);
    expect((await send(url, forwarded('203.0.113.8'))).status).to.equal(429);
  });

  it('takes an IPv6 network for one client, and IPv4 addresses for several however they are written', async () => {
    const url = await start({ requestsPerAddress: 1, trustedEdges: ['127.0.0.1'] });
    await hold(url, { count: 1, from: '127.0.0.1', headers: ['X-Forwarded-For: 2001:db8:1:2::a'] }, 1);
    expect((await send(url, forwarded('2001:db8:1:2:ffff::b'))).status).to.equal(429);
    expect((await send(url, forwarded('2001:db8:1:3::a'))).status).to.equal(200);
    await hold(url, { count: 1, from: '127.0.0.1', headers: ['X-Forwarded-For: ::ffff:192.0.2.1'] }, 1);
    expect((await send(url, forwarded('::ffff:192.0.2.2'))).status).to.equal(200);
  });

  it('tells the services who the client is as before', async () => {
    const url = await start({ trustedEdges: ['127.0.0.1'] });
    const arrived = async (): Promise<string | undefined> => upstreams.seen('gate')[0]?.headers['x-forwarded-for'];
    await send(url, { target: '/svc/limits' });
    expect(await arrived()).to.equal('127.0.0.1');
    await send(url, forwarded('203.0.113.7'));
    expect(await arrived()).to.equal('203.0.113.7, 127.0.0.1');
  });
});
