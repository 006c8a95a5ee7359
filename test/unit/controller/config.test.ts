import { expect } from 'chai';
import { loadConfig, parseResolvConf } from '../../../cmd/controller/config.ts';
import type { Environment } from '../../../src/common/config.ts';
import { configMistakes } from '../../support/config-mistakes.ts';
import { useFolder } from '../../support/folder.ts';

const POD =
  'search shop.svc.k8s.example svc.k8s.example k8s.example office.example\nnameserver 10.96.0.10\noptions ndots:5\n';

describe('the configuration of the controller', () => {
  const folder = useFolder();
  let resolvConf: string;
  before(async () => {
    resolvConf = await folder.file(POD);
  });

  it('needs nothing in a cluster', () => {
    expect(loadConfig({}, { resolvConf })).to.deep.include({
      namespaces: [],
      listen: { host: '0.0.0.0', port: 8081 },
      leaderElection: true,
      leaseName: 'svc-controller',
      clusterDomain: 'k8s.example',
      clusterDns: '',
      dnsAddress: '10.96.0.10',
      licenseKeysFile: undefined,
    });
    expect(Object.values(loadConfig({}, { resolvConf }).policy).flat()).to.deep.equal([]);
  });

  it("listens by the family of its pod's address, unless it is told where", () => {
    const listen = (environment: Environment) => loadConfig(environment, { resolvConf }).listen;
    expect(listen({ SVC_POD_IP: '10.1.2.3' })).to.deep.equal({ host: '0.0.0.0', port: 8081 });
    expect(listen({ SVC_POD_IP: 'fd00::7' })).to.deep.equal({ host: '::', port: 8081 });
    const told = { SVC_POD_IP: 'fd00::7', SVC_CONTROLLER_LISTEN: '127.0.0.1:9000' };
    expect(listen(told)).to.deep.equal({ host: '127.0.0.1', port: 9000 });
  });

  it('has an identity that no other process has, nor a later one in the same pod', () => {
    const identities = Array.from({ length: 3 }, () => loadConfig({}, { resolvConf }).identity);
    expect(new Set(identities).size).to.equal(3);
  });

  it('takes what it is told before what it finds', () => {
    const cluster = { SVC_CONTROLLER_CLUSTER_DOMAIN: 'x.y', SVC_CONTROLLER_CLUSTER_DNS: 'fd00::a' };
    const dns = { clusterDns: 'fd00::a', dnsAddress: 'fd00::a' };
    expect(loadConfig({ SVC_CONTROLLER_NAMESPACES: 'a, b', ...cluster }, { resolvConf })).to.deep.include({
      namespaces: ['a', 'b'],
      clusterDomain: 'x.y',
      ...dns,
    });
  });

  it('reports all mistakes at once, by variable: also what no front could ask for names, and no name could end with', () => {
    const mistakes = (environment: Environment) =>
      Object.keys(configMistakes((given) => loadConfig(given, { resolvConf: folder.at('none') }), environment));
    const wrong = {
      ...{ SVC_CONTROLLER_LISTEN: '0.0.0.0:70000', SVC_CONTROLLER_CLUSTER_DNS: '10.96.0.300' },
      ...{ SVC_CONTROLLER_NAMESPACES: 'A', SVC_LOG_LEVEL: 'loud', SVC_AUDIT_TARGET: 'https://log:99999/x' },
    };
    expect(mistakes(wrong)).to.have.members(Object.keys(wrong));
    expect(mistakes({})).to.deep.equal([]);
    for (const [variable, value] of [
      ...['10.96.0.300', '1.2.3', 'fd00:::1'].map((dns) => ['SVC_CONTROLLER_CLUSTER_DNS', dns] as const),
      ['SVC_CONTROLLER_CLUSTER_DOMAIN', 'a..b'] as const,
    ])
      expect(mistakes({ [variable]: value }), value).to.deep.equal([variable]);
  });

  it('reads a resolv.conf that no kubelet wrote', () => {
    expect(parseResolvConf('# nameserver 1.1.1.1\nnameserver 127.0.0.53\nnameserver 8.8.8.8\n')).to.deep.equal({
      nameserver: '127.0.0.53',
    });
    expect(parseResolvConf('')).to.deep.equal({});
  });
});
