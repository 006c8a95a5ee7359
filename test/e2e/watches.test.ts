import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { expect } from 'chai';
import { type KubernetesObject, RESOURCES } from '../../cmd/controller/k8s/api.ts';
import { ApiClient } from '../../cmd/controller/k8s/client.ts';
import { startWatchdog } from '../../cmd/controller/k8s/watchdog.ts';
import { type ApiServer, apiServerMissing, sharedApiServer } from '../support/api-server.ts';
import { readKubeConfig } from '../support/kubeconfig.ts';
import { testLogger } from '../support/logs.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { type Mirror, mirror } from '../unit/controller/k8s/mirror.ts';

/** Enough for the watchdog to notice, with the timings of production; more would only take longer. */
const OUTAGE_MS = Number(process.env['SVC_TEST_OUTAGE_MS'] ?? 12_000);
/** Issue 6: caught up within that after the API server or the network is back. */
const CAUGHT_UP_MS = 10_000;

describe('watches, on a real API server', function () {
  this.timeout(OUTAGE_MS + 90_000);
  let server: ApiServer;
  let proxy: TcpProxy;
  let folder: string;
  /** Folder of the token. */
  let account: string;
  /** Through the proxy, as the controller. */
  let client: ApiClient;
  let probing: ApiClient;
  /** Another client, straight to the API server. */
  let other: ApiClient;
  let namespace: string;
  let seen: Mirror;
  let minutes = 0;
  let dog: { stop(): void };

  before(async function () {
    if (apiServerMissing()) this.skip();
    server = await sharedApiServer();
  });

  beforeEach(async () => {
    proxy = await startTcpProxy(Number(new URL(server.url).port));
    folder = await mkdtemp(join(tmpdir(), 'svc-watches-'));
    account = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
    await mkdir(account, { recursive: true });
    await Promise.all([writeFile(join(account, 'ca.crt'), server.ca), mountToken(account, server.token)]);
    const config = new KubeConfig();
    Object.assign(process.env, { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: `${proxy.port}` });
    config.loadFromCluster(folder);
    client = new ApiClient(config);
    probing = new ApiClient(config, { timeoutMs: 5_000 });
    other = new ApiClient(readKubeConfig(server.kubeconfig));
    namespace = await server.namespace();
    seen = mirror(client, { selection: { namespace }, timings: { backoffMs: [200, 5_000] } });
    dog = startWatchdog({
      probe: () => probing.ready(),
      onReachable: () => {
        client.close();
        seen.reflector.restart();
      },
      log: testLogger(),
    });
    await seen.reflector.synced;
    for (const name of ['kept', 'changed', 'gone', 'replaced']) await put(name);
    await caughtUp();
    seen.changes.length = 0;
  });

  afterEach(async () => {
    if (!proxy) return;
    mock.timers.reset();
    dog.stop();
    seen.reflector.stop();
    for (const each of [client, probing, other]) each.close();
    await proxy.close();
    await rm(folder, { recursive: true });
  });

  const configMap = (name: string, value = ''): KubernetesObject =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { value } }) as KubernetesObject;
  const put = (name: string, value?: string): Promise<KubernetesObject> =>
    other.apply(RESOURCES.configMap, configMap(name, value), { manager: 'other' });
  const remove = async (name: string): Promise<void> => {
    const found = await other.get(RESOURCES.configMap, namespace, name);
    await other.remove(RESOURCES.configMap, namespace, name, found?.metadata.uid ?? '');
  };

  /** Some of everything: new, changed, gone, and gone and there again. */
  async function changeThings(): Promise<void> {
    await put('new');
    await put('changed', 'anew');
    await remove('gone');
    await remove('replaced');
    await put('replaced');
  }

  /** Until the copy is what the API server has, in each version. @returns milliseconds */
  async function caughtUp(): Promise<number> {
    const started = performance.now();
    const { items } = await other.list(RESOURCES.configMap, { namespace });
    const there = items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]).sort();
    const same = (): true | undefined => JSON.stringify([...seen.copy].sort()) === JSON.stringify(there) || undefined;
    await until('everything is seen', same, CAUGHT_UP_MS + 5_000);
    expect(seen.misfits).to.deep.equal([]);
    return performance.now() - started;
  }

  const EXPECTED = ['ADDED new', 'ADDED replaced', 'DELETED gone', 'DELETED replaced', 'MODIFIED changed'];

  it('have caught up within 10 s, with nothing missed, when the network was a black hole', async () => {
    proxy.blackHole();
    await changeThings();
    await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
    expect(seen.changes).to.have.lengthOf(0);
    proxy.recover();
    const took = await caughtUp();
    expect(seen.told().sort()).to.deep.equal(EXPECTED);
    expect(took).to.be.lessThan(CAUGHT_UP_MS);
    await put('kept', 'after');
    expect(await caughtUp()).to.be.lessThan(1_000);
  });

  it('have caught up, by a new list, when the API server was away and its history is lost', async () => {
    const { length } = seen.changes;
    proxy.blackHole();
    await changeThings();
    await server.kill();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await server.start();
    const lists = seen.syncs();
    proxy.recover();
    proxy.drop();
    expect(await caughtUp()).to.be.lessThan(CAUGHT_UP_MS);
    expect(seen.told().slice(length).sort()).to.deep.equal(EXPECTED);
    expect(seen.syncs(), 'lists').to.be.greaterThan(lists);
  });

  it('go on when the token is rotated, and come back when it had expired before', async () => {
    const guest = await server.serviceAccount(namespace, 'guest');
    await rotate(guest);
    const refused = await client.list(RESOURCES.secret, { namespace }).catch((error) => error);
    expect([refused.status, refused.reason]).to.deep.equal([403, 'Forbidden']);
    await rotate('expired-token');
    proxy.drop();
    await changeThings();
    const unauthorized = await client.list(RESOURCES.secret, { namespace }).catch((error) => error);
    expect(unauthorized.status).to.equal(401);
    await rotate(server.token);
    expect(await caughtUp()).to.be.lessThan(CAUGHT_UP_MS);
    expect(seen.told().sort()).to.deep.equal(EXPECTED);
  });

  /** The library reads the token again once a minute. */
  async function rotate(token: string): Promise<void> {
    await mountToken(account, token);
    mock.timers.reset();
    minutes += 2;
    mock.timers.enable({ apis: ['Date'], now: Date.now() + minutes * 60_000 });
  }
});

/** As the kubelet does it: the link to the folder with all files is replaced. */
async function mountToken(folder: string, token: string): Promise<void> {
  const name = `..${Date.now()}-${Math.random()}`;
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'token'), token);
  await symlink(name, join(folder, '..new'));
  await rename(join(folder, '..new'), join(folder, '..data'));
  await symlink('..data/token', join(folder, 'token')).catch(() => {});
}
