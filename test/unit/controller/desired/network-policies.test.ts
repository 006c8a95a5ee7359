import { BlockList, isIPv6 } from 'node:net';
import type { V1LabelSelector, V1NetworkPolicyPeer, V1NetworkPolicyPort } from '@kubernetes/client-node';
import { expect } from 'chai';
import { podLabels } from '../../../../cmd/controller/desired/labels.ts';
import { COMPONENTS, PORTS } from '../../../../cmd/controller/desired/names.ts';
import { networkPolicyObjects, type Policy } from '../../../../cmd/controller/desired/network-policies.ts';
import type { ComponentName } from '../../../../cmd/controller/desired/types.ts';
import { EDGE, INSIDE, publicPairs, TRIED_PORTS } from '../../../support/network-pairs.ts';
import { SHARED } from './instances.ts';
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
const PUBLIC = publicPairs([...Object.keys(STRANGERS), 'other gate', 'other docbuilder']);
const OUTSIDE = ['203.0.113.9', '10.20.0.5', '2001:db8::5'].map((ip): Party => ({ ip }));
/** CoreDNS, and a cache on the node. */
const DNS: Party[] = [
  { ip: '10.244.0.2', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  { ip: '10.96.0.10' },
];
/** Where clouds tell whoever asks the secrets of the machine. */
const METADATA = [
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fe80::a9fe:a9fe'],
].map((ip): Party => ({ ip }));
/** Where EKS tells a pod the keys of its own role. */
const AGENT = ['169.254.170.23', 'fd00:ec2::23'].map((ip): Party => ({ ip }));
const DATA: ComponentName[] = ['gate', 'docbuilder'];
const { secretName: _, ...byRole } = SHARED.s3;
const ROLE: PartialSpec = { storage: { ...SHARED, s3: byRole } };
const KEYS: PartialSpec = { storage: SHARED };

const [office, other] = [inhabitants('office', 10), inhabitants('other', 20)];
const everybody = { ...STRANGERS, ...office, ...other };
const own = (component: ComponentName): Party => office[component] as Party;

describe('network policies', () => {
  /** Who reaches which pod of `office` on which port, of all pairs and ports. */
  function findPairs(spec: PartialSpec, protocol = 'TCP'): string[] {
    const policies = [...getPolicies('office', spec), ...getPolicies('other', spec)];
    return Object.entries(everybody).flatMap(([name, from]) =>
      COMPONENTS.flatMap((component) =>
        TRIED_PORTS.filter((port) => reaches(policies, from, { to: own(component), protocol, port })).map(
          (port) => `${name} > ${component}:${port}`,
        ),
      ),
    );
  }

  for (const [what, spec, more] of [
    ['with gating AuthUrl', {}, EDGE],
    ['with gating Front, where the edge has nothing to ask', { ingress: { gating: 'Front' } }, []],
    ['with gating None', { ingress: { gating: 'None' } }, []],
    [
      'with a shared store, where pods of DocBuilder pass work on to one another',
      KEYS,
      [...EDGE, 'docbuilder > docbuilder:8080'],
    ],
  ] as const) {
    it(`let through, of all pairs and ports, exactly those of the table ${what}, and nothing but TCP`, () => {
      expect(findPairs(spec)).to.have.members([...INSIDE, ...PUBLIC, ...more]);
      expect(findPairs(spec, 'UDP')).to.deep.equal([]);
    });
  }

  it('take the edge from the spec', () => {
    const spec = { ingress: { controller: { namespace: 'edge', podLabels: { app: 'nginx' } } } };
    const at = { to: own('front'), protocol: 'TCP', port: PORTS.front.open };
    const named = { ip: '10.244.0.60', namespace: 'edge', labels: { app: 'nginx' } };
    const found = [named, everybody['the edge'] as Party].map((from) => reaches(getPolicies('office', spec), from, at));
    expect(found).to.deep.equal([true, false]);
  });

  for (const [what, spec, targets, protocol, ports, expected] of [
    ['pages and callbacks outside', {}, OUTSIDE, 'TCP', [80, 443, 8443], DATA],
    ["the secrets of a cloud's machine", {}, METADATA, 'TCP', [80, 443, 8080], []],
    ["the secrets of a cloud's machine, with a role", ROLE, METADATA, 'TCP', [80, 443, 8080], []],
    ['the keys of their own role on EKS, where the spec has no keys', ROLE, AGENT, 'TCP', [80], DATA],
    ['the keys of a role on EKS, where the spec has keys', KEYS, AGENT, 'TCP', [80], []],
    ['names over UDP', {}, DNS, 'UDP', [53], COMPONENTS],
    ['names over TCP', {}, DNS, 'TCP', [53], COMPONENTS],
    ['names of others', {}, [OUTSIDE[0] as Party, STRANGERS['a stranger'] as Party], 'UDP', [53], []],
  ] as const) {
    it(`let ${expected.length === 0 ? 'nobody' : expected.join(', ')} ask for ${what}`, () => {
      const policies = getPolicies('office', spec);
      for (const to of targets) {
        for (const port of ports) {
          const found = COMPONENTS.filter((component) => reaches(policies, own(component), { to, protocol, port }));
          expect(found, `${to.ip}:${port}`).to.have.members([...expected]);
        }
      }
    });
  }

  it('let gate and DocBuilder reach the pods of their store, also where addresses do not count for pods', () => {
    const { secrets, ...situation } = situationOf({ spec: KEYS });
    const store = { ...secrets, 'database-url': 'postgresql://svc@office-db-rw/svc' };
    const policies = withoutAddresses(networkPolicyObjects({ ...situation, secrets: store }));
    const pod = { ip: '10.244.0.60', namespace: 'storage', labels: { app: 'store' } };
    for (const component of COMPONENTS) {
      const reached = [80, 443, 3900, 5432, 5433].filter((port) =>
        reaches(policies, own(component), { to: pod, protocol: 'TCP', port }),
      );
      expect(reached, component).to.deep.equal(DATA.includes(component) ? [3900, 5432] : []);
    }
  });

  it('hold for a pod of the instance that no component knows', () => {
    const labels = { 'app.kubernetes.io/name': 'svc', 'app.kubernetes.io/instance': 'office' };
    const unknown: Party = { ip: '10.244.0.70', namespace: HOME, labels };
    const policies = getPolicies('office', {});
    for (const party of Object.values(everybody)) {
      expect(reaches(policies, party, { to: unknown, protocol: 'TCP', port: 80 })).to.equal(false);
      expect(reaches(policies, unknown, { to: party, protocol: 'TCP', port: 80 })).to.equal(false);
    }
  });
});

function getPolicies(name: string, spec: PartialSpec): readonly Policy[] {
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
  const { instance } = situationOf({ name });
  return Object.fromEntries(
    COMPONENTS.map((component, index) => [
      name === 'office' ? component : `${name} ${component}`,
      { ip: `10.244.0.${firstAddress + index}`, namespace: HOME, labels: podLabels(instance, component) },
    ]),
  );
}

/** A pod, or somebody outside who has an address only. */
interface Party {
  ip: string;
  namespace?: string;
  labels?: Record<string, string>;
}

interface Target {
  to: Party;
  protocol: string;
  port: number;
}

/**
 * Whether policies let a connection through, as the API's documentation says: whoever is selected by a policy for a direction
 * may do what one of those policies lists, everybody else may do all. An address block counts for pods as well, as it does
 * with some network plug-ins.
 */
function reaches(policies: readonly Policy[], from: Party, { to, protocol, port }: Target): boolean {
  return (
    may(policies, 'Egress', from, to, { protocol, port }) && may(policies, 'Ingress', to, from, { protocol, port })
  );
}

function may(
  policies: readonly Policy[],
  direction: 'Ingress' | 'Egress',
  self: Party,
  other: Party,
  at: { protocol: string; port: number },
): boolean {
  const own = policies.filter(
    ({ metadata, spec }) =>
      spec.policyTypes?.includes(direction) &&
      metadata.namespace === self.namespace &&
      selected(spec.podSelector, self.labels),
  );
  if (own.length === 0) return true;
  const rules = own.flatMap(({ metadata, spec }) => {
    const listed =
      direction === 'Ingress'
        ? spec.ingress?.map(({ from, ports }) => ({ peers: from, ports }))
        : spec.egress?.map(({ to, ports }) => ({ peers: to, ports }));
    return (listed ?? []).map((rule) => ({ ...rule, home: metadata.namespace }));
  });
  return rules.some(({ peers, ports, home }) => anyPeer(peers, other, home) && anyPort(ports, at));
}

function anyPeer(peers: readonly V1NetworkPolicyPeer[] | undefined, party: Party, home: string): boolean {
  if (!peers || peers.length === 0) return true;
  return peers.some(({ ipBlock, namespaceSelector, podSelector }) => {
    if (ipBlock) return inside(party.ip, ipBlock.cidr) && !ipBlock.except?.some((range) => inside(party.ip, range));
    if (party.namespace === undefined) return false;
    const namespace = { 'kubernetes.io/metadata.name': party.namespace };
    const there = namespaceSelector ? selected(namespaceSelector, namespace) : party.namespace === home;
    return there && selected(podSelector, party.labels);
  });
}

function anyPort(ports: readonly V1NetworkPolicyPort[] | undefined, at: { protocol: string; port: number }): boolean {
  if (!ports || ports.length === 0) return true;
  return ports.some(({ protocol, port }) => protocol === at.protocol && (port === undefined || port === at.port));
}

function selected(selector: V1LabelSelector | undefined, labels: Record<string, string> = {}): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`no ${operator} here`);
      return values?.includes(labels[key] ?? '');
    })
  );
}

function inside(ip: string, range: string): boolean {
  const [address = '', bits] = range.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (isIPv6(ip) !== (family === 'ipv6')) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family);
  return list.check(ip, family);
}
