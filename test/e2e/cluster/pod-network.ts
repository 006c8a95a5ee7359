import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { established, type Kubectl } from '../../support/kubectl.ts';
import { kubernetesProgram } from '../../support/kubernetes.ts';
import { docker, run } from './engine.ts';

const CONFIGURATION = '/etc/cni/net.d';

/** Calico's configuration: it may start, and these addresses are masqueraded outside of the cluster. */
const OBJECTS = [
  { kind: 'ClusterInformation', metadata: { name: 'default' }, spec: { datastoreReady: true } },
  {
    kind: 'IPPool',
    metadata: { name: 'pods' },
    spec: { cidr: '10.244.0.0/16', natOutgoing: true, ipipMode: 'Never', vxlanMode: 'Never', nodeSelector: 'all()' },
  },
];

/**
 * Lays the network of pods on nodes whose image is made here: that of kind's own image cannot be had. Calico gives each pod its
 * interface and enforces NetworkPolicies; between nodes there are plain routes, as kind's own network has them.
 */
export async function layNetwork(kubectl: Kubectl, nodes: readonly string[]): Promise<void> {
  await kubectl(['apply', '--server-side', '--filename', kubernetesProgram('calico-crds.yaml')]);
  await established(kubectl, 'clusterinformations.crd.projectcalico.org');
  await established(kubectl, 'ippools.crd.projectcalico.org');
  const items = OBJECTS.map((object) => ({ apiVersion: 'crd.projectcalico.org/v1', ...object }));
  await kubectl(['apply', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const kubeconfig = await docker('exec', nodes[0] ?? '', 'cat', '/etc/kubernetes/admin.conf');
  const plugins = await readFile(join(import.meta.dirname, 'pods.conflist'), 'utf8');
  for (const node of nodes) {
    await put(node, 'calico-kubeconfig', kubeconfig);
    await put(node, '10-pods.conflist', plugins.replace('NODE', node));
    await docker('exec', node, 'systemctl', 'enable', '--now', 'calico-felix');
  }
  await layRoutes(kubectl);
}

interface Node {
  name: string;
  address: string;
  podCIDR: string;
}

/** All nodes of a cluster. */
export async function listNodes(kubectl: Kubectl): Promise<Node[]> {
  const { items } = JSON.parse(await kubectl(['get', 'nodes', '--output', 'json'])) as {
    items: {
      metadata: { name: string };
      spec: { podCIDR: string };
      status: { addresses: { type: string; address: string }[] };
    }[];
  };
  return items.map(({ metadata, spec, status }) => {
    const { address = '' } = status.addresses.find(({ type }) => type === 'InternalIP') ?? {};
    return { name: metadata.name, address, podCIDR: spec.podCIDR };
  });
}

/** Sets each node's routes to the pods of all others. A node that was started again has lost them. */
export async function layRoutes(kubectl: Kubectl): Promise<void> {
  const nodes = await listNodes(kubectl);
  for (const { name } of nodes) {
    for (const { podCIDR, address } of nodes.filter((other) => other.name !== name)) {
      await docker('exec', name, 'ip', 'route', 'replace', podCIDR, 'via', address);
    }
  }
}

/** Writes a file of the network's configuration on a node atomically: it may be read at any time. */
async function put(node: string, name: string, text: string): Promise<void> {
  const file = `${CONFIGURATION}/${name}`;
  const write = `cat >${file}.new && mv ${file}.new ${file}`;
  await run('docker', ['exec', '--interactive', node, 'sh', '-c', write], text);
}
