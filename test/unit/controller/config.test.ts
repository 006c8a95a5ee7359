import { expect } from 'chai';
import { loadConfig, parseResolvConf } from '../../../cmd/controller/config.ts';
import { ConfigError, type Environment } from '../../../src/common/config.ts';
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

  it('has an identity that no other process has, nor a later one in the same pod', () => {
    const identities = Array.from({ length: 3 }, () => loadConfig({}, { resolvConf }).identity);
    expect(new Set(identities).size).to.equal(3);
  });

  it('takes what it is told before what it finds', () => {
    const config = loadConfig(
      {
        SVC_CONTROLLER_NAMESPACES: 'a, b',
        SVC_CONTROLLER_CLUSTER_DOMAIN: 'x.y',
        SVC_CONTROLLER_CLUSTER_DNS: 'fd00::a',
      },
      { resolvConf },
    );
    const dns = { clusterDns: 'fd00::a', dnsAddress: 'fd00::a' };
    expect(config).to.deep.include({ namespaces: ['a', 'b'], clusterDomain: 'x.y', ...dns });
  });

  it('reports all mistakes at once, by variable', () => {
    const load = () =>
      loadConfig(
        {
          SVC_CONTROLLER_LISTEN: '0.0.0.0:70000',
          SVC_CONTROLLER_CLUSTER_DNS: '10.96.0.300',
          SVC_CONTROLLER_NAMESPACES: 'A',
          SVC_LOG_LEVEL: 'loud',
          SVC_AUDIT_TARGET: 'https://log:99999/x',
        },
        { resolvConf: folder.at('none') },
      );
    expect(load)
      .to.throw(ConfigError)
      .with.property('mistakes')
      .that.satisfies((mistakes: { path: string }[]) => {
        const paths = mistakes.map(({ path }) => path);
        expect(paths).to.have.members([
          'SVC_CONTROLLER_LISTEN',
          'SVC_CONTROLLER_NAMESPACES',
          'SVC_LOG_LEVEL',
          'SVC_AUDIT_TARGET',
          'SVC_CONTROLLER_CLUSTER_DNS',
        ]);
        return true;
      });
  });

  it('refuses what no front could ask for names, and no name could end with', () => {
    const load = (environment: Environment) => () => loadConfig(environment, { resolvConf: folder.at('none') });
    expect(load({})).to.not.throw();
    for (const dns of ['10.96.0.300', '1.2.3', 'fd00:::1']) {
      expect(load({ SVC_CONTROLLER_CLUSTER_DNS: dns }), dns).to.throw(ConfigError, 'SVC_CONTROLLER_CLUSTER_DNS');
    }
    expect(load({ SVC_CONTROLLER_CLUSTER_DOMAIN: 'a..b' })).to.throw(ConfigError, 'SVC_CONTROLLER_CLUSTER_DOMAIN');
  });

  it('reads a resolv.conf that no kubelet wrote', () => {
    expect(parseResolvConf('# nameserver 1.1.1.1\nnameserver 127.0.0.53\nnameserver 8.8.8.8\n')).to.deep.equal({
      nameserver: '127.0.0.53',
    });
    expect(parseResolvConf('')).to.deep.equal({});
  });
});
