import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { clusterEnding } from '../../support/at-end.ts';
import { type Kubectl, kubectlFor } from '../../support/kubectl.ts';
import { kubernetesProgram, missingPrograms } from '../../support/kubernetes.ts';
import { docker, type Engine, engineMissing, hasEngine, run, sharedEngine } from './engine.ts';
import { layNetwork } from './pod-network.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Keeps the images' sources and kubeconfigs from run to run. */
export const CACHE: string = join(ROOT, '.cache/cluster');
/** The cluster of a test run, and the one that `main.ts up` leaves running. */
const [OWN, KEPT] = ['svc-e2e', 'svc-kept'];
/** The version that kubeadm installs. */
const PATCHES = { hostPath: join(import.meta.dirname, 'patches'), containerPath: '/kind/patches', readOnly: true };

/** A real cluster, whose network enforces NetworkPolicies. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** The programs from which scripts/kind-node.sh makes a node's image. */
const KIND_NODE_PROGRAMS = [
  ...['kind', 'kubectl', 'kubeadm', 'kubelet', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
  ...['kube-proxy', 'etcd', 'coredns', 'pause', 'local-path-provisioner', 'calico', 'calico-felix'],
];

let shared: Promise<Cluster> | undefined;

/** Why there can be no cluster here, or undefined. */
export function clusterMissing(): string | undefined {
  if (hasEngine()) return missing(['kind', 'kubectl'], 'api kind');
  return engineMissing() ?? missing(KIND_NODE_PROGRAMS, 'kind-node');
}

/** The one cluster of a run of tests: started when the first asks for it, stopped after the last test on it. */
export function sharedCluster(): Promise<Cluster> {
  if (shared === undefined) {
    shared = startCluster();
    clusterEnding.at(async () => (await shared?.catch(() => undefined))?.stop());
  }
  return shared;
}

/**
 * A cluster of kind in containers of the Docker engine, which outlive a killed test run: the next start removes them. One
 * that `main.ts up` has left running is used, and stays.
 */
export async function startCluster({ isDetached = false } = {}) {
  const reason = clusterMissing();
  if (reason !== undefined) throw new Error(reason);
  const engine = await sharedEngine();
  const folder = join(CACHE, 'kind');
  await mkdir(folder, { recursive: true });
  const running = (await kind(['get', 'clusters'])).split('\n');
  const kept = running.includes(KEPT);
  const name = kept || isDetached ? KEPT : OWN;
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
    /** Path of a kubeconfig of a cluster admin. */
    kubeconfig,
    kubectl,
    /** Under which this machine finds the node that pods are on: NodePorts are there. */
    nodeAddress,
    /** The containers of that node and of the second one, which takes pods only while a test needs two. */
    ...{ node, secondNode },
    /** Under which pods find this machine, for test servers that listen at this address. */
    hostAddress: hasEngine() ? gateway : engine.hostAddress,
    /** Address of the cluster's name server. */
    dnsAddress: '10.96.0.10',
    /** Makes images of `buildImages` known to the node. */
    load: async (...images: string[]) =>
      void (await kind(['load', 'docker-image', ...images, '--name', name, '--nodes', node])),
    stop: async () => void (kept || isDetached || (await kind(['delete', 'cluster', '--name', name]))),
  };
}

/** Ends the cluster that `main.ts up` has left running. @returns whether there was one */
export async function endCluster(): Promise<boolean> {
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
  const image = official ? '' : (await run(join(ROOT, 'scripts/kind-node.sh'), [])).trim();
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
  // One that has joined may not have registered yet.
  await kubectl(['wait', '--for=create', `node/${nodes[1]}`, '--timeout=120s']);
  await kubectl(['cordon', nodes[1]]);
  if (official) return;
  await layNetwork(kubectl, nodes);
  const ready = ['wait', '--for=condition=Ready', 'node', '--all', '--timeout=120s'];
  await kubectl(ready);
  await kubectl(['-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', '--timeout=120s']);
}

function kind(parameters: readonly string[], input?: string): Promise<string> {
  return run(kubernetesProgram('kind'), parameters, input);
}

function missing(programs: readonly string[], argument: string): string | undefined {
  const names = missingPrograms(programs);
  return names.length === 0 ? undefined : `not built: ${names.join(', ')} (scripts/kubernetes.sh build ${argument})`;
}
