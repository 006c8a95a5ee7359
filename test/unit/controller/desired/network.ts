import { BlockList, isIPv6 } from 'node:net';
import type { V1LabelSelector, V1NetworkPolicyPeer, V1NetworkPolicyPort } from '@kubernetes/client-node';
import type { Policy } from '../../../../cmd/controller/desired/network-policies.ts';

/** A pod, or somebody outside who has an address only. */
export interface Party {
  ip: string;
  namespace?: string;
  labels?: Record<string, string>;
}

export interface Target {
  to: Party;
  protocol: string;
  port: number;
}

/**
 * Whether policies let a connection through, as the API's documentation says: whoever is selected by a policy for a direction
 * may do what one of those policies lists, everybody else may do all. An address block counts for pods as well, as it does
 * with some network plug-ins.
 */
export function reaches(policies: readonly Policy[], from: Party, { to, protocol, port }: Target): boolean {
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
