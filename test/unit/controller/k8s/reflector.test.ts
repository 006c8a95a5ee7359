import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { RESOURCES } from '../../../../cmd/controller/k8s/api.ts';
import { until } from '../../../support/until.ts';
import { type Mirror, type MirrorOptions, mirror } from './mirror.ts';
import { line, refuse, useStandIn } from './stand-in.ts';

const PATH = '/api/v1/namespaces/one/configmaps';

describe('k8s: reflector', () => {
  const at = useStandIn(400);
  let seen: Mirror;

  async function start(options: MirrorOptions = {}): Promise<Mirror> {
    seen = mirror(at.client, options);
    await seen.reflector.synced;
    return seen;
  }

  const watching = (): Promise<boolean> => until('a watch is open', () => at.server.watches() === 1 || undefined);
  async function startWatching(): Promise<void> {
    await start();
    await watching();
  }
  const told = (count: number): Promise<boolean> =>
    until(`${count} changes`, () => seen.changes.length >= count || undefined);
  /** Everything that the server has is known, in its newest version, and nothing else. */
  const caughtUp = (): Promise<boolean> =>
    until('the copy is as the server', () => {
      const there = new Map(at.server.objects(PATH).map(({ metadata: m }) => [m.name, m.resourceVersion ?? '']));
      return JSON.stringify([...there].sort()) === JSON.stringify([...seen.copy].sort()) || undefined;
    });
  const lists = (): number => at.server.requests.filter((request) => !request.includes('watch=true')).length;

  afterEach(() => seen?.reflector.stop());

  it('lists in pages, then watches from that version, with bookmarks and an end', async () => {
    for (const name of ['a', 'b', 'c', 'd']) at.server.put(PATH, name);
    await start({ selection: { namespace: 'one', labelSelector: 'x=y' } });
    expect(seen.told()).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c', 'ADDED d']);
    for (const { object } of seen.changes) expect(object.kind).to.equal('ConfigMap');
    await watching();
    const [first = '', second = '', watch = ''] = at.server.requests;
    expect(first).to.equal(`GET ${PATH}?labelSelector=x%3Dy&limit=100`);
    expect(second).to.equal(`GET ${PATH}?labelSelector=x%3Dy&limit=100&continue=3`);
    expect(watch).to.match(/watch=true&.*resourceVersion=104&allowWatchBookmarks=true&timeoutSeconds=2[0-7]$/);
  });

  it('tells of each change in order, without managedFields', async () => {
    await start();
    at.server.put(PATH, 'a');
    at.server.put(PATH, 'a');
    at.server.put(PATH, 'b');
    at.server.remove(PATH, 'a');
    await told(4);
    expect(seen.told()).to.deep.equal(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
    for (const { object } of seen.changes) expect(object.metadata).not.to.have.property('managedFields');
  });

  it('watches on from the last version when the server ends a watch, and lists nothing again', async () => {
    at.server.put(PATH, 'a');
    await startWatching();
    at.server.bookmark();
    at.server.endWatches();
    await until('another', () => at.server.requests.some((it) => it.includes('resourceVersion=102')) || undefined);
    expect(lists()).to.equal(1);
    expect(seen.told()).to.deep.equal(['ADDED a']);
  });

  for (const [what, text] of [
    ['an ERROR event', line({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })],
    ['an ERROR event of another kind', line({ type: 'ERROR', object: { kind: 'Status', code: 500 } })],
    ['an event without an object', line({ type: 'ADDED' })],
    ['an event without a version', line({ type: 'ADDED', object: { metadata: { name: 'x' } } })],
    ['an event of an unknown type', line({ type: 'RENAMED', object: { metadata: { resourceVersion: '5' } } })],
    ['a bare number', '7\n'],
  ] as const) {
    it(`lists again after ${what}`, async () => {
      at.server.put(PATH, 'a');
      await start();
      await watching();
      at.server.send(text);
      await until('a second list', () => seen.syncs() >= 2 || undefined);
      at.server.put(PATH, 'b');
      await caughtUp();
      expect(seen.told()).to.deep.equal(['ADDED a', 'ADDED b']);
    });
  }

  it('does not take the end of a former object for that of its successor', async () => {
    at.server.put(PATH, 'a');
    await startWatching();
    const metadata = { name: 'a', namespace: 'one', uid: 'former', resourceVersion: '102' };
    at.server.send(line({ type: 'DELETED', object: { metadata } }));
    at.server.put(PATH, 'b');
    await told(2);
    expect(seen.told()).to.deep.equal(['ADDED a', 'ADDED b']);
  });

  it('lists anew now and then, whatever the watch says', async () => {
    at.server.put(PATH, 'a');
    await start({ timings: { relistMs: [50, 100] } });
    await until('three lists', () => {
      at.server.endWatches();
      return seen.syncs() >= 3 || undefined;
    });
    expect(seen.told()).to.deep.equal(['ADDED a']);
  });

  it('survives a handler that throws, and tells on', async () => {
    const calls: string[] = [];
    await start({
      onEvent: ({ object }) => {
        calls.push(object.metadata.name);
        throw new Error('handler');
      },
    });
    for (const name of ['a', 'b', 'c']) at.server.put(PATH, name);
    await told(3);
    expect(calls).to.deep.equal(['a', 'b', 'c']);
    expect(lists()).to.equal(1);
  });

  it('counts a kind that the API server does not have as synced and empty, and looks for it again', async () => {
    let absent = true;
    at.server.fault = (_, response) => absent && response.writeHead(404).end('404 page not found');
    await start({ resource: RESOURCES.httpRoute, timings: { absentMs: 100 } });
    expect(seen.told()).to.deep.equal([]);
    expect(seen.reflector.absent()).to.equal(true);
    at.server.put('/apis/gateway.networking.k8s.io/v1/namespaces/one/httproutes', 'route');
    absent = false;
    await told(1);
    expect(seen.changes[0]?.object).to.include({ kind: 'HTTPRoute' });
    expect(seen.reflector.absent()).to.equal(false);
    absent = true;
    at.server.cut();
    await told(2);
    expect(seen.reflector.absent()).to.equal(true);
    expect(seen.told()).to.deep.equal(['ADDED route', 'DELETED route']);
  });

  it('does not believe at once that a kind is gone, as an API server says that starts', async () => {
    at.server.put(PATH, 'a');
    await startWatching();
    let refused = 0;
    at.server.fault = (_, response) => ++refused <= 2 && response.writeHead(404).end('404 page not found');
    at.server.cut();
    await until('it works again', () => (refused > 2 && at.server.watches() === 1) || undefined);
    expect(seen.told()).to.deep.equal(['ADDED a']);
  });

  it('keeps its place when the server is busy', async () => {
    await startWatching();
    let refused = 0;
    const busy = { 'retry-after': '1' };
    at.server.fault = (_, response) => ++refused <= 2 && refuse(response, 429, 'TooManyRequests', busy);
    at.server.cut();
    await until('a third try', () => refused === 3 || undefined);
    expect(lists()).to.equal(1);
  });

  for (const [what, respond] of [
    ['nothing works', (response: ServerResponse) => refuse(response, 500, 'InternalError')],
    ['watches end at once', (response: ServerResponse) => response.writeHead(200).end()],
  ] as const) {
    it(`tries less and less often while ${what}`, async () => {
      seen = mirror(at.client, { timings: { backoffMs: [20, 200] } });
      at.server.fault = ({ url = '' }, response) =>
        (what === 'nothing works' || url.includes('watch=true')) && respond(response);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect(at.server.requests.length).to.be.within(3, 17);
    });
  }

  it('tells a sign of life from silence', async () => {
    await startWatching();
    const before = seen.reflector.lastContact();
    await until('time passes', () => Date.now() > before + 20 || undefined);
    expect(seen.reflector.lastContact()).to.equal(before);
    at.server.bookmark();
    await until('a sign', () => seen.reflector.lastContact() > before || undefined);
  });

  it('tells what it cannot watch, and where, until it can', async () => {
    at.server.fault = (_, response) => refuse(response, 403, 'Forbidden');
    seen = mirror(at.client, { selection: { namespace: 'one' } });
    expect(await until('trouble', () => seen.reflector.trouble())).to.match(
      /^GET \/api\/v1\/namespaces\/one\/configmaps: 403/,
    );
    at.server.fault = undefined;
    await seen.reflector.synced;
    at.server.put(PATH, 'a');
    await told(1);
    expect(seen.reflector.trouble()).to.equal(undefined);
  });

  it('takes a refusal for a sign of life: to start anew would cure nothing', async () => {
    await startWatching();
    at.server.fault = (_, response) => refuse(response, 403, 'Forbidden');
    at.server.cut();
    await until('it is refused', () => lists() > 1 || undefined);
    const before = Date.now();
    await until('a later contact', () => seen.reflector.lastContact() > before || undefined, 2_000);
  });

  it('leaves a connection that says nothing when it is told to, also in the middle of a list, and at once', async () => {
    await startWatching();
    const hang = () => true;
    at.server.fault = hang;
    at.server.cut();
    await until('a request that hangs', () => at.server.requests.length === 3 || undefined);
    at.server.put(PATH, 'a');
    at.server.fault = undefined;
    const started = performance.now();
    seen.reflector.restart();
    await told(1);
    at.server.compact();
    at.server.fault = hang;
    at.server.send(line({ type: 'ERROR', object: { kind: 'Status', code: 410 } }));
    await until('a list that hangs', () => at.server.requests.at(-1)?.includes('limit') || undefined);
    at.server.put(PATH, 'b');
    at.server.fault = undefined;
    seen.reflector.restart();
    await told(2);
    expect(performance.now() - started).to.be.lessThan(390);
  });

  it('says nothing and asks nothing more once it is stopped', async () => {
    await startWatching();
    seen.reflector.stop();
    await until('the watch is closed', () => at.server.watches() === 0 || undefined);
    const asked = at.server.requests.length;
    at.server.put(PATH, 'a');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([seen.changes.length, at.server.requests.length]).to.deep.equal([0, asked]);
  });
});

describe('k8s: reflector, in random trouble', () => {
  const at = useStandIn(2_000);
  it('has everything in the end, and nothing twice, whatever the server does on the way', async function () {
    this.timeout(20_000);
    const { server, client } = at;
    const seen = mirror(client, { timings: { relistMs: [200, 600] } });
    await seen.reflector.synced;
    const faults = [
      () => server.cut(),
      () => server.endWatches(),
      () => server.compact(),
      () => server.bookmark(),
      () => server.send('{"type":'),
      () => server.send(line({ type: 'ERROR', object: { kind: 'Status', code: 410 } })),
      () => seen.reflector.restart(),
    ];
    const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
    server.fault = (request, response) => {
      const dice = Math.random();
      if (dice < 0.1) request.socket.resetAndDestroy();
      else if (dice < 0.2) refuse(response, pick([410, 429, 500, 503, 504]), 'Trouble');
      return dice < 0.2;
    };
    for (let step = 0; step < 400; step += 1) {
      const name = pick(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      if (Math.random() < 0.3) server.remove(PATH, name);
      else server.put(PATH, name);
      if (Math.random() < 0.1) pick(faults)();
      if (step % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    server.fault = undefined;
    const versions = server.objects(PATH).map(({ metadata: m }) => [m.name, m.resourceVersion]);
    const there = JSON.stringify(versions.sort());
    await until('the copy is as the server', () => JSON.stringify([...seen.copy].sort()) === there || undefined);
    expect(seen.misfits).to.deep.equal([]);
    seen.reflector.stop();
  });
});
