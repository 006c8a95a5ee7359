import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { established } from '../../../support/kubectl.ts';
import type { Cluster } from '../cluster.ts';
import { docker, run } from '../engine.ts';

const TOOLS = resolve(import.meta.dirname, '../../../../.cache/tools/bin');
const PROGRAM = join(TOOLS, 'traefik');
const IMAGE = 'localhost/svc/traefik:test';
const NAMESPACE = 'gateways';

/** The Gateway that tests start: `spec.ingress.gateway` of an instance. */
export const GATEWAY = { name: 'public', namespace: NAMESPACE, sectionName: 'http' };

/** Why there can be no Gateway here, or undefined. */
export function gatewayMissing(): string | undefined {
  // It moves the front's address and the licence of the instance that all tests of a run have.
  if (process.env['SVC_TEST_GATEWAY'] !== '1') return 'only in a run of its own (make e2e ALL=1)';
  return existsSync(PROGRAM) ? undefined : 'no Traefik (scripts/gateway-tools.sh)';
}

/** Makes the kinds of the Gateway API known to the cluster, as any Gateway's installation does. */
export async function defineGateways({ kubectl }: Cluster): Promise<void> {
  await kubectl(['apply', '--server-side', '--filename', join(TOOLS, 'gateway-api.yaml')]);
  await established(kubectl, 'httproutes.gateway.networking.k8s.io');
}

/** Starts the objects of traefik.yaml. @param nodePort where it is found from outside */
export async function startGateway(cluster: Cluster, nodePort: number): Promise<void> {
  await makeImage();
  await cluster.load(IMAGE);
  const objects = await readFile(join(import.meta.dirname, 'traefik.yaml'), 'utf8');
  await cluster.kubectl(['apply', '--filename', '-'], objects.replace('nodePort: NODE_PORT', `nodePort: ${nodePort}`));
  await cluster.kubectl(['--namespace', NAMESPACE, 'rollout', 'status', 'deployment/traefik', '--timeout=120s']);
}

/** Removes it, and all kinds of the Gateway API. */
export async function endGateway({ kubectl }: Cluster): Promise<void> {
  await kubectl(['delete', '--ignore-not-found', 'namespace', NAMESPACE]);
  await kubectl(['delete', '--ignore-not-found', 'clusterrolebinding', 'traefik']);
  const kinds = await kubectl(['get', 'crd', '--output', 'name']);
  const own = kinds.split('\n').filter((name) => name.endsWith('.gateway.networking.k8s.io'));
  if (own.length > 0) await kubectl(['delete', ...own]);
}

/** An image of the program alone, which is linked statically. */
async function makeImage(): Promise<void> {
  const make = `tar --dereference -C ${dirname(PROGRAM)} -c traefik | docker import --change 'ENTRYPOINT ["/traefik"]' - ${IMAGE}`;
  await run('sh', ['-c', make]);
  await docker('image', 'inspect', IMAGE);
}
