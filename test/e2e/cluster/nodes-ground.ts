import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../../support/until.ts';
import type { Cluster } from './cluster.ts';
import { docker, hasEngine } from './engine.ts';
import type { Images } from './images/build.ts';
import { layRoutes, listNodes } from './pod-network.ts';

const NAME_SERVERS = 'k8s-app=kube-dns';

/** The cluster with two nodes that take pods. */
export type TwoNodes = Awaited<ReturnType<typeof useTwoNodes>>;

/**
 * Has the second node take pods as well. There is a name server on each node then, and one at a time may be taken away:
 * without any, names are away for as long as the next ones take to start.
 */
export async function useTwoNodes(cluster: Cluster, images: Images) {
  const { kubectl, node, secondNode } = cluster;
  await copyImages(node, secondNode, Object.values(images));
  const addresses = (await listNodes(kubectl)).map(({ address }) => address);
  const uncordon = async (name: string) => void (await kubectl(['uncordon', name]));
  const cordon = async (name: string) => void (await kubectl(['cordon', name]));
  /** `kubectl drain`; resolves when it has ended. */
  const drain = async (name: string) => {
    const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=400s'];
    await kubectl(['drain', name, ...flags]);
  };
  await uncordon(secondNode);
  const system = (...parameters: string[]) => kubectl(['--namespace', 'kube-system', ...parameters]);
  const budget = ['poddisruptionbudget', 'coredns'];
  await system('delete', '--ignore-not-found', ...budget);
  await system('create', ...budget, `--selector=${NAME_SERVERS}`, '--max-unavailable=1');
  /** Puts a name server on each node: otherwise names are away until Kubernetes replaces the pods of a lost node. */
  const partNameServers = async () => {
    const where = ['get', 'pods', '--selector', NAME_SERVERS, '--output'];
    const places = await system(...where, 'jsonpath={.items[*].spec.nodeName}');
    if (new Set(places.split(' ')).size > 1) return;
    const [first = ''] = (await system(...where, 'name')).split('\n');
    await system('delete', first);
    await system('rollout', 'status', 'deployment/coredns', '--timeout=120s');
  };
  await partNameServers();
  return {
    ...{ addresses, cordon, uncordon, drain, partNameServers },
    /** The node is without power from one moment to the next: it closes none of its connections. */
    async kill(name: string) {
      await docker('exec', name, 'ip', 'link', 'set', 'eth0', 'down');
      await docker('kill', name);
    },
    /** It has power again, and is Ready. */
    async start(name: string) {
      await docker('start', name);
      await until('the node runs', async () => (await docker('exec', name, 'true').catch(() => undefined)) === '');
      if (!hasEngine()) await layRoutes(kubectl);
      await kubectl(['wait', `node/${name}`, '--for=condition=Ready', '--timeout=120s']);
    },
    /** Leaves one node with all pods, as it was. */
    async end() {
      await uncordon(node);
      await drain(secondNode);
    },
  };
}

/** Copies images from one node to another, which is quicker than loading them from the engine on each. */
async function copyImages(from: string, to: string, images: readonly string[]): Promise<void> {
  const ctr = ['ctr', '--namespace=k8s.io', 'images'];
  const has = await docker('exec', to, ...ctr, 'list', '--quiet');
  const missing = images.filter((image) => !has.split('\n').includes(image));
  if (missing.length === 0) return;
  const source = spawn('docker', ['exec', from, ...ctr, 'export', '-', ...missing], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const target = spawn('docker', ['exec', '--interactive', to, ...ctr, 'import', '-'], {
    stdio: [source.stdout, 'ignore', 'inherit'],
  });
  const [[exported], [imported]] = await Promise.all([once(source, 'exit'), once(target, 'exit')]);
  if (exported !== 0 || imported !== 0) throw new Error(`could not copy ${missing.join(', ')} to ${to}`);
}
