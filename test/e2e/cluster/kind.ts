import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Kubectl, kubectlFor } from '../../support/kubectl.ts';
import { kubernetesProgram } from '../../support/kubernetes.ts';
import type { Cluster } from './cluster.ts';
import { docker, type Engine, hasEngine, sharedEngine } from './engine.ts';
import { layNetwork } from './pod-network.ts';
import { withInput } from './with-input.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** That of a test run, and that which `main.ts up` leaves running. */
const [OWN, KEPT] = ['svc-e2e', 'svc-kept'];
/** Of what kubeadm makes. */
const PATCHES = { hostPath: join(import.meta.dirname, 'patches'), containerPath: '/kind/patches', readOnly: true };

/**
 * A cluster in a container of the Docker engine, which outlives a killed test run: the next start removes it. One that
 * `main.ts up` has left running is used, and stays.
 */
export async function startKind(cache: string, detached: boolean): Promise<Cluster> {
  const engine = await sharedEngine();
  const folder = join(cache, 'kind');
  await mkdir(folder, { recursive: true });
  const running = (await kind(['get', 'clusters'])).split('\n');
  const kept = running.includes(KEPT);
  const name = kept || detached ? KEPT : OWN;
  const kubeconfig = join(folder, `${name}.kubeconfig`);
  const kubectl = kubectlFor(kubeconfig, folder);
  const [node, secondNode] = [`${name}-control-plane`, `${name}-worker`];
  if (!kept) {
    if (running.includes(OWN)) await kind(['delete', 'cluster', '--name', OWN]);
    await create(engine, { name, kubeconfig, kubectl, nodes: [node, secondNode] });
  }
  const networks = await docker('inspect', '--format', '{{json .NetworkSettings.Networks}}', node);
  const [network] = Object.values(JSON.parse(networks) as Record<string, { IPAddress: string; Gateway: string }>);
  const { IPAddress: nodeAddress = '', Gateway: gateway = '' } = network ?? {};
  return {
    kubeconfig,
    kubectl,
    ...{ nodeAddress, node, secondNode },
    hostAddress: hasEngine() ? gateway : engine.hostAddress,
    dnsAddress: '10.96.0.10',
    load: async (...images) => void (await kind(['load', 'docker-image', ...images, '--name', name, '--nodes', node])),
    stop: async () => void (kept || detached || (await kind(['delete', 'cluster', '--name', name]))),
  };
}

/** Ends the cluster that `main.ts up` has left running. @returns whether there was one */
export async function endKind(): Promise<boolean> {
  await sharedEngine();
  const running = (await kind(['get', 'clusters'])).split('\n');
  if (!running.includes(KEPT)) return false;
  await kind(['delete', 'cluster', '--name', KEPT]);
  return true;
}

interface Wanted {
  name: string;
  kubeconfig: string;
  kubectl: Kubectl;
  nodes: readonly [string, string];
}

/** With the node's image of kind's own where the engine is the user's, else with one that is made here. */
async function create(engine: Engine, { name, kubeconfig, kubectl, nodes }: Wanted): Promise<void> {
  const words = ['create', 'cluster', '--name', name, '--kubeconfig', kubeconfig, '--config', '-'];
  const official = hasEngine();
  const image = official ? '' : (await promisify(execFile)(join(ROOT, 'scripts/kind-node.sh'))).stdout.trim();
  const config = {
    kind: 'Cluster',
    apiVersion: 'kind.x-k8s.io/v1alpha4',
    networking: official ? {} : { apiServerAddress: engine.address, apiServerPort: 6443, disableDefaultCNI: true },
    nodes: ['control-plane', 'worker'].map((role) => ({
      role,
      extraMounts: [PATCHES],
      ...(official ? {} : { image }),
    })),
    kubeadmConfigPatches: [
      // How soon pods see a Secret that was changed. It is a minute elsewhere.
      'kind: KubeletConfiguration\nsyncFrequency: 5s\n',
      `kind: InitConfiguration\npatches: { directory: ${PATCHES.containerPath} }\n`,
    ],
  };
  await kind([...words, ...(official ? ['--wait', '180s'] : [])], JSON.stringify(config));
  const small = ['set', 'resources', 'deployment/coredns', '--requests', 'cpu=10m,memory=70Mi'];
  await kubectl(['--namespace', 'kube-system', ...small]);
  // kubeadm has a control plane take no pods where there is another node.
  await kubectl(['taint', 'node', nodes[0], 'node-role.kubernetes.io/control-plane-']);
  await kubectl(['cordon', nodes[1]]);
  if (official) return;
  await layNetwork(kubectl, nodes);
  const ready = ['wait', '--for=condition=Ready', 'node', '--all', '--timeout=120s'];
  await kubectl(ready);
  await kubectl(['-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', '--timeout=120s']);
}

function kind(parameters: readonly string[], input?: string): Promise<string> {
  return withInput(kubernetesProgram('kind'), parameters, input);
}
