import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubectlFor } from '../../../support/kubectl.ts';
import { API_SERVER_PROGRAMS } from '../../../support/kubernetes.ts';
import { abandonedFolders, newFolder } from '../../../support/own-folder.ts';
import { until } from '../../../support/until.ts';
import type { Cluster } from '../cluster.ts';
import { archive, imageId, pauseArchive } from '../images/archive.ts';
import { freeLink } from './link.ts';
import { isNode, nodeLog, onNode, type RunningNode, removeTraces, startNode, stopNode } from './node.ts';
import { groundObjects, VOLUME_NAMES } from './objects.ts';

const START_MS = 120_000;

export const LOCAL_PROGRAMS: readonly string[] = [
  ...API_SERVER_PROGRAMS,
  ...['kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'coredns', 'pause'],
];

/** The cluster that `main.ts up` has left running, if there is one. */
export async function attachLocal(cache: string): Promise<Cluster | undefined> {
  const node = await running(cache);
  if (node === undefined) return undefined;
  return { ...cluster(cache, node), stop: async () => undefined };
}

/** Ends the cluster that `main.ts up` has left running. @returns whether there was one */
export async function endLocal(cache: string): Promise<boolean> {
  const node = await running(cache);
  if (node !== undefined) await stopNode(node);
  await rm(stateFile(cache), { force: true });
  return node !== undefined;
}

/** A node of its own, ready for pods in some ten seconds. */
export async function startLocal(cache: string, detached: boolean): Promise<Cluster> {
  for (const folder of abandonedFolders('cluster')) await removeTraces(folder);
  const pause = await pauseArchive(cache);
  const link = await freeLink();
  const folder = await newFolder('cluster');
  const images = join(cache, `containerd-${link.index}`);
  const node = await startNode({ folder, images, link, pause, detached }).catch(async (error) => {
    await removeTraces(folder);
    throw error;
  });
  const made = cluster(cache, node);
  try {
    for (const name of VOLUME_NAMES) await openFolder(join(folder, 'volumes', name));
    await until('the API server is ready', () => succeeds(made.kubectl(['get', '--raw', '/readyz'])), START_MS);
    await made.kubectl(['apply', '-f', '-'], JSON.stringify(groundObjects(folder, link.nodeAddress)));
    const nodeReady = ['wait', '--for=condition=Ready', 'node/node', '--timeout=10s'];
    await until('the node is ready', () => succeeds(made.kubectl(nodeReady)), START_MS);
    // Made by the controllers, so they are there as well.
    await made.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=60s']);
    if (detached) await writeFile(stateFile(cache), JSON.stringify(node));
    return made;
  } catch (error) {
    const logs = await Promise.all(
      ['node', 'kube-apiserver', 'containerd', 'kubelet'].map((name) => nodeLog(folder, name)),
    );
    await stopNode(node);
    throw new Error(`${(error as Error).message}\n${logs.join('\n')}`);
  }
}

function cluster(cache: string, node: RunningNode): Cluster {
  return {
    kind: 'local',
    kubeconfig: node.kubeconfig,
    kubectl: kubectlFor(node.kubeconfig, node.folder),
    nodeAddress: node.link.nodeAddress,
    hostAddress: node.link.hostAddress,
    dnsAddress: '10.96.0.10',
    load: (image) => load(cache, node, image),
    stop: () => stopNode(node),
  };
}

/** Hands an image to containerd, unless it has this very one from a run before. */
async function load(cache: string, node: RunningNode, image: string): Promise<void> {
  const id = await imageId(cache, image);
  const label = `svc/image=${id}`;
  const known = await onNode(node, [
    'ctr',
    '-n',
    'k8s.io',
    'images',
    'list',
    '-q',
    `name==${image},labels."svc/image"==${id}`,
  ]);
  if (known.trim() === image) return;
  await archive(cache, image, (tar) => onNode(node, ['ctr', '-n', 'k8s.io', 'images', 'import', '-'], tar));
  await onNode(node, ['ctr', '-n', 'k8s.io', 'images', 'label', image, label]);
}

async function running(cache: string): Promise<RunningNode | undefined> {
  if (!existsSync(stateFile(cache))) return undefined;
  const node = JSON.parse(await readFile(stateFile(cache), 'utf8')) as RunningNode;
  if (await isNode(node)) return node;
  await removeTraces(node.folder);
  return undefined;
}

// As a volume of a cluster is, before the kubelet has given it to a pod's group.
async function openFolder(path: string): Promise<void> {
  await mkdir(path);
  await chmod(path, 0o777);
}

function stateFile(cache: string): string {
  return join(cache, 'running.json');
}

function succeeds(work: Promise<unknown>): Promise<true | undefined> {
  return work.then(
    () => true as const,
    () => undefined,
  );
}
