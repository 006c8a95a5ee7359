import { expect } from 'chai';
import { type Office, officeFor } from './support/office.ts';
import { clientPod } from './support/pods.ts';

interface Peer {
  podSelector?: { matchLabels: Record<string, string> };
  namespaceSelector?: object;
  ipBlock?: object;
}
interface Policy {
  metadata: { name: string };
  spec: {
    podSelector: { matchLabels: Record<string, string> };
    policyTypes: string[];
    ingress?: { from?: Peer[]; ports: { port: number }[] }[];
  };
}

describe('on a cluster: network policies', function () {
  this.timeout(60_000);
  let office: Office;

  before(async function () {
    office = await officeFor(this);
  });

  const COMPONENT = 'app.kubernetes.io/component';
  const policies = async () => (await office.get<{ items: Policy[] }>('networkpolicies')).items;
  /** Whose pods may come to a port of a component; `*` for everybody, `edge` for those of another namespace. */
  const reaches = (all: Policy[], component: string, port: number) =>
    all
      .filter(({ spec }) => spec.podSelector.matchLabels[COMPONENT] === component)
      .flatMap(({ spec }) => spec.ingress ?? [])
      .filter(({ ports }) => ports.some((each) => each.port === port))
      .flatMap(({ from }) => from ?? [undefined])
      .map((peer) =>
        peer === undefined ? '*' : peer.namespaceSelector ? 'edge' : peer.podSelector?.matchLabels[COMPONENT],
      );

  it('the cluster has them as they are, and every pod is under two that close both directions', async () => {
    const all = await policies();
    for (const { metadata } of await office.pods()) {
      const mine = all.filter(({ spec }) =>
        Object.entries(spec.podSelector.matchLabels).every(([name, value]) => metadata.labels[name] === value),
      );
      expect(mine, metadata.name).to.have.lengthOf(2);
      for (const { spec } of mine) expect(spec.policyTypes).to.have.members(['Ingress', 'Egress']);
    }
  });

  it('name who may reach what', async () => {
    const all = await policies();
    expect(reaches(all, 'editor', 9980)).to.have.members(['front', 'gate']);
    expect(reaches(all, 'gate', 8081)).to.have.members(['front', 'editor']);
    expect(reaches(all, 'gate', 8080)).to.deep.equal(['front']);
    expect(reaches(all, 'docbuilder', 8080)).to.deep.equal(['front']);
    expect(reaches(all, 'front', 8080)).to.deep.equal(['*']);
    expect(reaches(all, 'front', 8081)).to.deep.equal(['edge']);
    expect(reaches(all, 'front', 8082)).to.deep.equal(['edge']);
  });

  it('are enforced, where the network of the cluster does so: nobody else reaches the internal port', async function () {
    if (!office.cluster.enforcesPolicies) {
      process.stderr.write("network policies are not enforced here: the image of kind's own network cannot be had\n");
      return this.skip();
    }
    await office.cluster.kubectl(['apply', '-n', 'office', '-f', '-'], JSON.stringify(clientPod(office.images.gate)));
    try {
      await office.kubectl('wait', 'pod/client', '--for=condition=Ready', '--timeout=30s');
      const ask = (url: string) =>
        office.kubectl(
          ...['exec', 'client', '--', 'node', '-e'],
          `fetch('${url}', { signal: AbortSignal.timeout(3000) }).then(({ status }) => console.log(status), () => console.log('refused'))`,
        );
      expect(await ask('http://office-front/svc/healthz')).to.equal('200\n');
      expect(await ask('http://office-gate-internal:8081/svc/healthz')).to.equal('refused\n');
      expect(await ask('http://office-editor:9980/')).to.equal('refused\n');
    } finally {
      await office.kubectl('delete', 'pod', 'client', '--grace-period=1');
    }
  });
});
