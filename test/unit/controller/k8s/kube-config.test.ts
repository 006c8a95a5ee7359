import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { expect } from 'chai';
import { ApiClient } from '../../../../cmd/controller/k8s/client.ts';
import { currentNamespace, loadKubeConfig, withProxy } from '../../../../cmd/controller/k8s/kube-config.ts';
import { failure } from '../../../support/failure.ts';
import { useFolder } from '../../../support/folder.ts';
import { TEST_TLS } from '../../../support/tls.ts';
import { type StandIn, startStandIn, TOKEN } from './stand-in.ts';

describe('k8s: kubeconfig', () => {
  const folder = useFolder('test');
  let secure: StandIn;
  const before = { ...process.env };

  beforeEach(async () => {
    for (const name of ['KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT']) delete process.env[name];
    secure = await startStandIn(TEST_TLS);
  });
  afterEach(async () => {
    process.env = { ...before };
    await secure.close();
  });

  it('is that of the pod, with its namespace and a proxy of the environment', async () => {
    const account = folder.at('var/run/secrets/kubernetes.io/serviceaccount');
    await mkdir(account, { recursive: true });
    await writeFile(join(account, 'namespace'), 'mine\n');
    Object.assign(process.env, { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' });
    const config = loadKubeConfig(folder.path);
    expect(config.getCurrentCluster()).to.include({
      server: 'https://[fd00::1]:6443',
      caFile: join(account, 'ca.crt'),
    });
    expect(currentNamespace(config)).to.equal('mine');
    const behind = withProxy(config, { HTTPS_PROXY: 'http://proxy:3128' });
    expect(behind.getCurrentCluster()).to.include({ proxyUrl: 'http://proxy:3128/' });
    const except = withProxy(config, { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'fd00::/8' });
    expect(except.getCurrentCluster()).not.to.have.property('proxyUrl');
  });

  it('is the file that KUBECONFIG names, before the pod', async () => {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'a', server: 'https://a.example', skipTLSVerify: false }, { name: 'u' });
    await writeFile(folder.at('config'), config.exportConfig());
    Object.assign(process.env, { KUBECONFIG: folder.at('config'), KUBERNETES_SERVICE_HOST: 'x' });
    expect(loadKubeConfig().getCurrentCluster()?.server).to.equal('https://a.example');
    process.env['KUBECONFIG'] = folder.at('nowhere');
    expect(() => loadKubeConfig()).to.throw('nowhere');
    delete process.env['KUBECONFIG'];
    delete process.env['KUBERNETES_SERVICE_HOST'];
    expect(() => loadKubeConfig()).to.throw(/KUBECONFIG.*KUBERNETES_SERVICE_HOST/);
  });

  for (const [what, cluster, refused] of [
    ['the authority and the name', { caData: base64(TEST_TLS.cert), tlsServerName: 'secure.test' }, false],
    ['another name', { caData: base64(TEST_TLS.cert) }, true],
    ['no authority', { tlsServerName: 'secure.test' }, true],
  ] as const) {
    it(`attack: with ${what} the token goes ${refused ? 'nowhere' : 'to the API server'}`, async () => {
      const config = new KubeConfig();
      const named = { name: 'a', server: secure.url, skipTLSVerify: false, ...cluster };
      config.loadFromClusterAndUser(named, { name: 'u', token: TOKEN });
      const client = new ApiClient(config, { timeoutMs: 1_000 });
      if (refused) expect((await failure(client.ready()))?.name).to.equal('UnreachableError');
      else await client.ready();
      expect(secure.requests).to.have.lengthOf(refused ? 0 : 1);
      client.close();
    });
  }

  it('takes a rotated authority over, on a new connection', async () => {
    const config = new KubeConfig();
    const authority = folder.at('ca.crt');
    await writeFile(authority, TEST_TLS.cert);
    const cluster = { name: 'a', server: secure.url, skipTLSVerify: false, caFile: authority };
    config.loadFromClusterAndUser({ ...cluster, tlsServerName: 'secure.test' }, { name: 'u', token: TOKEN });
    const client = new ApiClient(config);
    for (let count = 0; count < 10; count += 1) await client.ready();
    const before = secure.connections();
    expect(before).to.be.at.most(2);
    await writeFile(authority, `${TEST_TLS.cert}\n`);
    await client.ready();
    expect(secure.connections()).to.equal(before + 1);
    client.close();
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
