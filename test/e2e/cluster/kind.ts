import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubectlFor } from '../../support/kubectl.ts';
import { kubernetesProgram } from '../../support/kubernetes.ts';
import type { Cluster } from './cluster.ts';

/** That of a test run, and that which `main.ts up` leaves running. */
const [OWN, KEPT] = ['svc-e2e', 'svc-kept'];

/**
 * A cluster in a container of the Docker engine, which outlives a killed test run: the next start removes it. One that
 * `main.ts up` has left running is used, and stays.
 */
export async function startKind(cache: string, detached: boolean): Promise<Cluster> {
  const folder = join(cache, 'kind');
  await mkdir(folder, { recursive: true });
  const running = (await kind(['get', 'clusters'])).split('\n');
  const kept = running.includes(KEPT);
  const name = kept || detached ? KEPT : OWN;
  const kubeconfig = join(folder, `${name}.kubeconfig`);
  if (!kept) {
    if (running.includes(OWN)) await kind(['delete', 'cluster', '--name', OWN]);
    await kind(['create', 'cluster', '--name', name, '--kubeconfig', kubeconfig, '--wait', '180s']);
  }
  const networks = await docker(['inspect', '--format', '{{json .NetworkSettings.Networks}}', `${name}-control-plane`]);
  const [network] = Object.values(JSON.parse(networks) as Record<string, { IPAddress: string; Gateway: string }>);
  const { IPAddress: nodeAddress = '', Gateway: hostAddress = '' } = network ?? {};
  return {
    kind: 'kind',
    kubeconfig,
    kubectl: kubectlFor(kubeconfig, folder),
    nodeAddress,
    hostAddress,
    dnsAddress: '10.96.0.10',
    load: async (image) => void (await kind(['load', 'docker-image', image, '--name', name])),
    stop: async () => void (kept || detached || (await kind(['delete', 'cluster', '--name', name]))),
  };
}

/** Ends the cluster that `main.ts up` has left running. @returns whether there was one */
export async function endKind(): Promise<boolean> {
  const running = (await kind(['get', 'clusters'])).split('\n');
  if (!running.includes(KEPT)) return false;
  await kind(['delete', 'cluster', '--name', KEPT]);
  return true;
}

async function kind(parameters: readonly string[]): Promise<string> {
  return (await promisify(execFile)(kubernetesProgram('kind'), parameters)).stdout;
}

async function docker(parameters: readonly string[]): Promise<string> {
  return (await promisify(execFile)('docker', parameters)).stdout;
}
