import { expect } from 'chai';
import { podLabels } from '../../../../cmd/controller/desired/labels.ts';
import { COMPONENTS, PORTS } from '../../../../cmd/controller/desired/names.ts';
import { networkPolicyObjects, type Policy } from '../../../../cmd/controller/desired/network-policies.ts';
import type { ComponentName, Instance } from '../../../../cmd/controller/desired/types.ts';
import { EDGE, INSIDE, publicPairs, TRIED_PORTS } from '../../../support/network-pairs.ts';
import { SHARED } from './instances.ts';
import { manifests } from './manifests.ts';
import { type Party, reaches } from './network.ts';
import { type PartialSpec, situationOf } from './situation.ts';

const HOME = 'documents';
const NGINX = { 'app.kubernetes.io/name': 'ingress-nginx' };
const STRANGERS: Record<string, Party> = {
  'a stranger': { ip: '10.244.0.50', namespace: HOME, labels: { app: 'portal' } },
  'a stranger elsewhere': { ip: '10.244.0.51', namespace: 'default', labels: { app: 'portal' } },
  'the edge': { ip: '10.244.0.52', namespace: 'ingress-nginx', labels: NGINX },
  "the edge's neighbour": { ip: '10.244.0.53', namespace: 'ingress-nginx', labels: { app: 'job' } },
  'somebody with the labels of the edge': { ip: '10.244.0.54', namespace: HOME, labels: NGINX },
  'the outside': { ip: '203.0.113.9' },
};
const DNS: Record<string, Party> = {
  CoreDNS: { ip: '10.244.0.2', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  'a cache on the node': { ip: '10.96.0.10' },
};
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fe80::a9fe:a9fe',
];

describe('network policies', () => {
  const [office, other] = [inhabitants('office', 10), inhabitants('other', 20)];
  const everybody = { ...STRANGERS, ...office, ...other };
  const own = (component: ComponentName): Party => office[component] as Party;

  /** Who reaches which pod of `office` on which port, of all pairs and ports. */
  function table(spec: PartialSpec): string[] {
    const policies = [...policiesOf('office', spec), ...policiesOf('other', spec)];
    return Object.entries(everybody).flatMap(([name, from]) =>
      COMPONENTS.flatMap((component) =>
        TRIED_PORTS.filter((port) => reaches(policies, from, { to: own(component), protocol: 'TCP', port })).map(
          (port) => `${name} > ${component}:${port}`,
        ),
      ),
    );
  }

  const PUBLIC = publicPairs([...Object.keys(STRANGERS), 'other gate', 'other docbuilder']);

  it('let through, of all pairs and ports, exactly these with gating AuthUrl', () => {
    expect(table({})).to.have.members([...INSIDE, ...PUBLIC, ...EDGE]);
  });

  it('let nobody reach the ports for an edge that asks, where the front asks by itself', () => {
    for (const gating of ['Front', 'None']) {
      expect(table({ ingress: { gating } }), gating).to.have.members([...INSIDE, ...PUBLIC]);
    }
  });

  it('let pods of DocBuilder pass work on to one another where there may be several', () => {
    expect(table({ storage: SHARED })).to.have.members([
      ...[...INSIDE, ...PUBLIC, ...EDGE],
      'docbuilder > docbuilder:8080',
    ]);
  });

  it('take the edge from the spec', () => {
    const spec = { ingress: { controller: { namespace: 'edge', podLabels: { app: 'nginx' } } } };
    const policies = policiesOf('office', spec);
    const at = { to: own('front'), protocol: 'TCP', port: PORTS.front.open };
    expect(reaches(policies, { ip: '10.244.0.60', namespace: 'edge', labels: { app: 'nginx' } }, at)).to.equal(true);
    expect(reaches(policies, everybody['the edge'] as Party, at)).to.equal(false);
  });

  it('let nothing through but TCP', () => {
    for (const from of Object.values(everybody)) {
      for (const component of COMPONENTS) {
        for (const port of TRIED_PORTS) {
          const target = { to: own(component), protocol: 'UDP', port };
          expect(reaches(policiesOf('office', {}), from, target)).to.equal(false);
        }
      }
    }
  });

  it('let gate and DocBuilder out, for documents and callbacks, and editor and front nowhere', () => {
    const out = COMPONENTS.filter((component) =>
      ['203.0.113.9', '10.20.0.5', '2001:db8::5'].some((ip) =>
        [80, 443, 8443].some((port) =>
          reaches(policiesOf('office', {}), own(component), { to: { ip }, protocol: 'TCP', port }),
        ),
      ),
    );
    expect(out).to.deep.equal(['gate', 'docbuilder']);
  });

  it('let nobody ask a cloud for the secrets of the machine', () => {
    for (const component of COMPONENTS) {
      for (const ip of METADATA) {
        for (const port of [80, 443, 8080]) {
          const target = { to: { ip }, protocol: 'TCP', port };
          expect(reaches(policiesOf('office', {}), own(component), target), `${component} > ${ip}`).to.equal(false);
        }
      }
    }
  });

  it('let gate and DocBuilder reach the pods of their store, also where addresses do not count for pods', () => {
    const { secrets, ...situation } = situationOf({ spec: { storage: SHARED } });
    const store = { ...secrets, 'database-url': 'postgresql://svc@office-db-rw/svc' };
    const policies = withoutAddresses(networkPolicyObjects({ ...situation, secrets: store }));
    const pod = { ip: '10.244.0.60', namespace: 'storage', labels: { app: 'store' } };
    for (const component of COMPONENTS) {
      const reached = [80, 443, 3900, 5432, 5433].filter((port) =>
        reaches(policies, own(component), { to: pod, protocol: 'TCP', port }),
      );
      const expected = ['gate', 'docbuilder'].includes(component) ? [3900, 5432] : [];
      expect(reached, component).to.deep.equal(expected);
    }
  });

  it("let them ask EKS for the keys of their own role where the spec has no keys, and nobody for the machine's", () => {
    const AGENT = ['169.254.170.23', 'fd00:ec2::23'];
    const { secretName: _, ...byRole } = SHARED.s3;
    for (const s3 of [byRole, SHARED.s3]) {
      const policies = policiesOf('office', { storage: { ...SHARED, s3 } });
      for (const component of COMPONENTS) {
        const reached = [...METADATA, ...AGENT].filter((ip) =>
          reaches(policies, own(component), { to: { ip }, protocol: 'TCP', port: 80 }),
        );
        const expected = s3 === byRole && ['gate', 'docbuilder'].includes(component) ? AGENT : [];
        expect(reached, component).to.deep.equal(expected);
      }
    }
  });

  it('let all ask for names', () => {
    for (const component of COMPONENTS) {
      for (const [name, to] of Object.entries(DNS)) {
        for (const protocol of ['UDP', 'TCP']) {
          const asked = reaches(policiesOf('office', {}), own(component), { to, protocol, port: 53 });
          expect(asked, `${component} > ${name} ${protocol}`).to.equal(true);
        }
      }
    }
  });

  it('let editor and front ask nobody else for names', () => {
    for (const component of ['editor', 'front'] as const) {
      for (const to of [{ ip: '203.0.113.9' }, everybody['a stranger'] as Party]) {
        expect(reaches(policiesOf('office', {}), own(component), { to, protocol: 'UDP', port: 53 })).to.equal(false);
      }
    }
  });

  it('hold for a pod of the instance that no component knows', () => {
    const labels = { 'app.kubernetes.io/name': 'svc', 'app.kubernetes.io/instance': 'office' };
    const unknown: Party = { ip: '10.244.0.70', namespace: HOME, labels };
    const policies = policiesOf('office', {});
    for (const party of Object.values(everybody)) {
      expect(reaches(policies, party, { to: unknown, protocol: 'TCP', port: 80 })).to.equal(false);
      expect(reaches(policies, unknown, { to: party, protocol: 'TCP', port: 80 })).to.equal(false);
    }
  });

  it('let in to the front what ingress/nginx/auth-url.yaml does', () => {
    const written = manifests('nginx/auth-url.yaml').find(({ kind }) => kind === 'NetworkPolicy') as Policy;
    const front = policiesOf('office', {}).find(({ metadata }) => metadata.name === 'office-front');
    const text = JSON.stringify(front?.spec.ingress).replaceAll('"protocol":"TCP",', '');
    expect(JSON.parse(text)).to.deep.equal(written.spec.ingress);
  });

  it('are as the API spells them', () => {
    expect(JSON.stringify(policiesOf('office', {}))).not.to.include('_from');
  });
});

function policiesOf(name: string, spec: PartialSpec): readonly Policy[] {
  return networkPolicyObjects(situationOf({ name, spec }));
}

/** The policies as a network plug-in reads them to which a pod is nothing but its labels. */
function withoutAddresses(policies: readonly Policy[]): Policy[] {
  return policies.map((policy) => ({
    ...policy,
    spec: {
      ...policy.spec,
      egress: (policy.spec.egress ?? []).filter(({ to }) => !to?.some(({ ipBlock }) => ipBlock)),
    },
  }));
}

/** The pods of an instance: of `office` by component, of another by `<name> <component>`. */
function inhabitants(name: string, firstAddress: number): Record<string, Party> {
  const { instance }: { instance: Instance } = situationOf({ name });
  return Object.fromEntries(
    COMPONENTS.map((component, index) => [
      name === 'office' ? component : `${name} ${component}`,
      { ip: `10.244.0.${firstAddress + index}`, namespace: HOME, labels: podLabels(instance, component) },
    ]),
  );
}
