import { expect } from 'chai';
import { type Controller, startController } from '../../../cmd/controller/app.ts';
import { loadConfig } from '../../../cmd/controller/config.ts';
import { RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { ApiClient } from '../../../cmd/controller/k8s/client.ts';
import { withCluster } from '../../../cmd/controller/k8s/kube-config.ts';
import type { SvcInstance } from '../../../cmd/controller/reconcile/instances.ts';
import { type ApiServer, apiServerMissing, startApiServer } from '../../support/api-server.ts';
import { defineInstances } from '../../support/controller.ts';
import { readKubeConfig } from '../../support/kubeconfig.ts';
import { testLogger } from '../../support/logs.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const NAMESPACES = Array.from({ length: 20 }, (_, index) => `team-${index}`);
/** Fewer than there are watches, and more than there are of one namespace. */
const STREAMS = 50;
/** For requests; and of the Lease's and the watchdog's client. */
const REQUESTS = 16 + 2;

describe('the controller of many namespaces', function () {
  this.timeout(90_000);
  let server: ApiServer;
  let proxy: TcpProxy;
  let client: ApiClient;
  let controller: Controller;

  before(async function () {
    if (apiServerMissing()) this.skip();
    server = await startApiServer([`--http2-max-streams-per-connection=${STREAMS}`]);
    await defineInstances(server);
    const objects = NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    await server.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const direct = readKubeConfig(server.kubeconfig);
    client = new ApiClient(direct);
    proxy = await startTcpProxy(Number(new URL(server.url).port));
    const cluster = direct.getCurrentCluster();
    if (!cluster) throw new Error('no cluster');
    const kubeConfig = withCluster(direct, { ...cluster, server: `https://127.0.0.1:${proxy.port}` });
    const config = loadConfig({
      SVC_CONTROLLER_NAMESPACES: NAMESPACES.join(','),
      SVC_CONTROLLER_LISTEN: '127.0.0.1:0',
      SVC_CONTROLLER_LEADER_ELECTION: '0',
      SVC_CONTROLLER_CLUSTER_DNS: '10.96.0.10',
      SVC_AUDIT_TARGET: 'off',
    });
    controller = await startController(config, testLogger(), { kubeConfig, lookAgainMs: 300 });
  });
  after(async () => {
    await controller?.stop();
    client?.close();
    await proxy?.close();
    await server?.stop();
  });

  /** An instance that is made in a namespace, and dealt with. */
  async function made(namespace: string): Promise<void> {
    const { apiVersion, kind } = RESOURCES.svcInstance;
    const metadata = { name: 'office', namespace } as SvcInstance['metadata'];
    const instance = { apiVersion, kind, metadata, spec: { host: `${namespace}.example` } } as SvcInstance;
    await client.apply(RESOURCES.svcInstance, instance, { manager: 'kubectl' });
    await until(`${namespace} is looked after`, async () => {
      const found = await client.get<SvcInstance>(RESOURCES.svcInstance, namespace, 'office');
      return found?.status?.observedGeneration === 1;
    });
  }

  it('has connections for as many watches as the API server takes on each, and none for a single one', async () => {
    await until('it is ready', async () => (await fetch(`http://127.0.0.1:${controller.address.port}/readyz`)).ok);
    const watches = NAMESPACES.length * (Object.keys(RESOURCES).length - 2);
    expect(watches).to.be.above(4 * STREAMS);
    expect(proxy.connections()).to.be.within(Math.ceil(watches / STREAMS), Math.ceil(watches / STREAMS) + REQUESTS);
  });

  it('sees what happens in the first and in the last of them', async () => {
    await made('team-0');
    await made('team-19');
  });

  it('goes on when all connections are reset, with no more of them', async () => {
    proxy.drop();
    await made('team-7');
    const watches = NAMESPACES.length * (Object.keys(RESOURCES).length - 2);
    await until('all watch again', async () => proxy.connections() <= Math.ceil(watches / STREAMS) + REQUESTS);
  });
});
