import { isIP } from 'node:net';
import type {
  V1NetworkPolicy,
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1NetworkPolicySpec,
} from '@kubernetes/client-node';
import { RESOURCES } from '../k8s/api.ts';
import { instanceLabels, type Manifest, manifest, selectorLabels } from './labels.ts';
import { getPorts, objectNames, PORTS } from './names.ts';
import { isShared, roleAddresses, storePorts } from './storage.ts';
import type { ComponentName, Instance, Situation } from './types.ts';

/** The library's type has `_from`, which its own serializer translates. */
interface IngressRule {
  from?: V1NetworkPolicyPeer[];
  ports: V1NetworkPolicyPort[];
}
interface Rules {
  ingress: IngressRule[];
  egress: V1NetworkPolicyEgressRule[];
}
export type Policy = Manifest<Omit<V1NetworkPolicy, 'spec'>> & {
  spec: Omit<V1NetworkPolicySpec, 'ingress' | 'egress'> & Partial<Rules>;
};

/** The namespaces of a cluster's DNS. Its pods listen on port 53, those of OpenShift on 5353. */
const DNS_NAMESPACES = ['kube-system', 'openshift-dns'];

const LINK_LOCAL = { start: '169.254.', cidr: '169.254.0.0/16' };

/** All addresses but those of the clouds' metadata services: link-local, Alibaba's, Azure's, and AWS's by IPv6. */
const OUTSIDE: V1NetworkPolicyPeer[] = [
  { ipBlock: { cidr: '0.0.0.0/0', except: [LINK_LOCAL.cidr, '100.100.100.200/32', '168.63.129.16/32'] } },
  { ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::/32'] } },
];

/** The tables of docs/decisions/0011-controller.md, Network. Traffic of a pod's own node passes, so probes need no rule. */
export function networkPolicyObjects(situation: Situation): readonly Policy[] {
  const { instance } = situation;
  const { spec } = instance;
  const { gate, docbuilder, editor, front } = PORTS;
  const from = (component: ComponentName, ...ports: number[]) => ({
    from: [peer(instance, component)],
    ports: tcp(ports),
  });
  const to = (component: ComponentName, ...ports: number[]) => ({ to: [peer(instance, component)], ports: tcp(ports) });
  const dns = dnsRules(situation);
  return [
    policy(situation, 'gate', {
      ingress: [from('front', gate.http, gate.internal), from('editor', gate.internal)],
      egress: [to('editor', editor.http), ...dns, outside(), ...storeRules(situation)],
    }),
    policy(situation, 'docbuilder', {
      ingress: [from('front', docbuilder.http), ...(isShared(spec) ? [from('docbuilder', docbuilder.http)] : [])],
      egress: [
        ...(isShared(spec) ? [to('docbuilder', docbuilder.http)] : []),
        ...[...dns, outside(), ...storeRules(situation)],
      ],
    }),
    policy(situation, 'editor', {
      // The gate asks it who is editing.
      ingress: [from('front', editor.http), from('gate', editor.http)],
      egress: [to('gate', gate.internal), ...dns, ...wopiHosts(instance)],
    }),
    policy(situation, 'front', {
      ingress: [{ ports: tcp([front.http]) }, ...edge(instance)],
      egress: [
        to('gate', gate.http, gate.internal),
        to('docbuilder', docbuilder.http),
        to('editor', editor.http),
        ...dns,
      ],
    }),
    defaultDeny(situation),
  ];
}

/** Only an edge that asks the gate itself needs the open and the ask port. */
function edge({ spec }: Instance): IngressRule[] {
  const { gating, controller } = spec.ingress;
  if (gating !== 'AuthUrl') return [];
  const peer: V1NetworkPolicyPeer = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': controller.namespace } },
    podSelector: { matchLabels: controller.podLabels },
  };
  return [{ from: [peer], ports: tcp([PORTS.front.open, PORTS.front.ask]) }];
}

/**
 * DNS: its pods, its address, and caches on nodes. These have that address or a link-local one, which may differ between nodes. Of
 * the link-local block only DNS' port is open: metadata services have port 80.
 */
function dnsRules({ settings: { dnsAddress } }: Situation): V1NetworkPolicyEgressRule[] {
  const version = dnsAddress.startsWith(LINK_LOCAL.start) ? 0 : isIP(dnsAddress);
  const namespaces = { key: 'kubernetes.io/metadata.name', operator: 'In', values: DNS_NAMESPACES };
  return [
    {
      to: [
        { namespaceSelector: { matchExpressions: [namespaces] } },
        ...(version === 0 ? [] : [{ ipBlock: { cidr: `${dnsAddress}/${version === 6 ? 128 : 32}` } }]),
      ],
      ports: [...dnsPorts(53), ...dnsPorts(5353)],
    },
    { to: [{ ipBlock: { cidr: LINK_LOCAL.cidr } }], ports: dnsPorts(53) },
  ];
}

function dnsPorts(port: number): V1NetworkPolicyPort[] {
  return ['UDP', 'TCP'].map((protocol) => ({ protocol, port }));
}

/** Documents and callbacks. Any port, since policies look at a pod's port and not at a Service's. The services check addresses. */
function outside(ports: V1NetworkPolicyPort[] = [{ protocol: 'TCP' }]): V1NetworkPolicyEgressRule {
  return { to: OUTSIDE, ports };
}

/** Other WOPI hosts, at the ports of their addresses only: the editor checks none. */
function wopiHosts({ spec }: Instance): V1NetworkPolicyEgressRule[] {
  const ports = getPorts(spec.editor.wopiHosts);
  return ports.length > 0 ? [outside(tcp(ports))] : [];
}

/** Database and bucket. They may be pods of this cluster, for which address blocks do not count with some network plug-ins. */
function storeRules(situation: Situation): V1NetworkPolicyEgressRule[] {
  const ports = storePorts(situation);
  const roles = roleAddresses(situation.instance.spec).map((cidr) => ({ ipBlock: { cidr } }));
  return [
    ...(ports.length > 0 ? [{ to: [{ namespaceSelector: {} }], ports: tcp(ports) }] : []),
    ...(roles.length > 0 ? [{ to: roles, ports: tcp([80]) }] : []),
  ];
}

function peer(instance: Instance, component: ComponentName): V1NetworkPolicyPeer {
  return { podSelector: { matchLabels: selectorLabels(instance, component) } };
}

function tcp(ports: readonly number[]): V1NetworkPolicyPort[] {
  return ports.map((port) => ({ protocol: 'TCP', port }));
}

function policy(situation: Situation, component: ComponentName, rules: Rules): Policy {
  const podSelector = { matchLabels: selectorLabels(situation.instance, component) };
  const spec = { podSelector, policyTypes: ['Ingress', 'Egress'], ...rules };
  return manifest(situation, RESOURCES.networkPolicy, { component }, { spec });
}

/** For pods of the instance that no other policy selects. */
function defaultDeny(situation: Situation): Policy {
  const { instance } = situation;
  const spec = { podSelector: { matchLabels: instanceLabels(instance) }, policyTypes: ['Ingress', 'Egress'] };
  return manifest(
    situation,
    RESOURCES.networkPolicy,
    { name: objectNames(instance.metadata.name).defaultDeny },
    { spec },
  );
}
