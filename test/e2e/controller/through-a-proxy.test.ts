import { expect } from 'chai';
import { ApiClient } from '../../../cmd/controller/k8s/client.ts';
import { withProxy } from '../../../cmd/controller/k8s/kube-config.ts';
import { RESOURCES } from '../../../cmd/controller/k8s/resources.ts';
import type { KubernetesObject } from '../../../cmd/controller/k8s/types.ts';
import { apiServerMissing, sharedApiServer } from '../../support/api-server.ts';
import { type ConnectProxy, startConnectProxy } from '../../support/connect-proxy.ts';
import { readKubeConfig } from '../../support/kubeconfig.ts';
import { until } from '../../support/until.ts';
import { type Mirror, mirror } from '../../unit/controller/k8s/mirror.ts';

describe('the controller behind a proxy', function () {
  this.timeout(30_000);
  let proxy: ConnectProxy;
  let client: ApiClient;
  let namespace: string;
  let authority: string;
  let seen: Mirror | undefined;

  before(async function () {
    if (apiServerMissing()) this.skip();
    const server = await sharedApiServer();
    namespace = await server.namespace();
    const { host, port } = new URL(server.url);
    authority = host;
    proxy = await startConnectProxy({ [host]: Number(port) });
    client = new ApiClient(withProxy(readKubeConfig(server.kubeconfig), { HTTPS_PROXY: proxy.url.href }));
  });
  after(async () => {
    seen?.reflector.stop();
    client?.close();
    await proxy?.close();
  });

  it('asks and watches the API server through it, with the certificate of the API server', async () => {
    seen = mirror(client, { selection: { namespace } });
    await seen.reflector.synced;
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace } } as KubernetesObject;
    await client.create(RESOURCES.configMap, configMap);
    await until('it is seen', () => seen?.told().includes('ADDED one') || undefined);
    expect(new Set(proxy.asked)).to.deep.equal(new Set([authority]));
    expect(proxy.asked.length).to.be.at.least(2);
  });
});
