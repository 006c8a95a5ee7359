import { until } from '../../../support/until.ts';
import { docker } from '../engine.ts';
import { ask, type Party } from './probes.ts';

/** Where clouds tell a machine its own secrets: most of them, Alibaba's, Azure's. */
export const METADATA_ADDRESSES = ['169.254.169.254', '100.100.100.200', '168.63.129.16'];
export const METADATA = 'metadata';

const SERVER = `require('node:http').createServer((_, response) => response.end('${METADATA}')).listen(80)`;

/**
 * Starts servers at the addresses of clouds' metadata services, each in a network of its own beside that of a node. Only on an engine of the
 * tests' own: a machine in a cloud needs the real ones.
 * @returns what ends them
 */
export async function startMetadataServices(node: Party, image: string): Promise<() => Promise<void>> {
  await endMetadataServices(node);
  for (const [index, address] of METADATA_ADDRESSES.entries()) {
    const name = nameOf(index);
    await docker('network', 'create', '--subnet', address.replace(/\d+$/, '0/24'), name);
    await docker('network', 'connect', name, node.node);
    const place = ['--network', name, '--ip', address, '--name', name];
    await docker('run', '--detach', ...place, '--user=0', '--entrypoint=node', image, '-e', SERVER);
    await until(`${address} answers`, async () => (await ask(node, `http://${address}/`)) === METADATA || undefined);
  }
  return () => endMetadataServices(node);
}

/** Those of a run that was killed as well. */
async function endMetadataServices(node: Party): Promise<void> {
  for (const name of METADATA_ADDRESSES.map((_, index) => nameOf(index))) {
    await docker('rm', '--force', name).catch(() => undefined);
    await docker('network', 'disconnect', name, node.node).catch(() => undefined);
    await docker('network', 'rm', name).catch(() => undefined);
  }
}

/** Behind that of the cluster's own network in the order of the alphabet: the engine takes the first for the way out. */
function nameOf(index: number): string {
  return `svc-metadata-${index}`;
}
