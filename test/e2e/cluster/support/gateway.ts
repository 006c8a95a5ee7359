import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { established } from '../../../support/kubectl.ts';
import type { Cluster } from '../cluster.ts';
import { docker } from '../engine.ts';

const TOOLS = resolve(import.meta.dirname, '../../../../.cache/tools/bin');
const PROGRAM = join(TOOLS, 'traefik');
const IMAGE = 'localhost/svc/traefik:test';
const NAMESPACE = 'gateways';
/** Of the Gateway's listener, which has to be that of Traefik's entry point. */
const PORT = 8000;

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

/**
 * Starts Traefik as the one Gateway of a cluster, with the settings that docs/kubernetes-edge.md names.
 * @param nodePort where it is found from outside
 */
export async function startGateway(cluster: Cluster, nodePort: number): Promise<void> {
  await makeImage();
  await cluster.load(IMAGE);
  const objects = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...traefik(nodePort), ...gateway()] });
  await cluster.kubectl(['apply', '--filename', '-'], objects);
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

/** Of the program alone, which is linked statically. */
async function makeImage(): Promise<void> {
  const make = `tar --dereference -C ${dirname(PROGRAM)} -c traefik | docker import --change 'ENTRYPOINT ["/traefik"]' - ${IMAGE}`;
  const [code] = await once(spawn('sh', ['-c', make], { stdio: 'ignore' }), 'close');
  if (code !== 0) throw new Error(`could not make ${IMAGE}`);
  await docker('image', 'inspect', IMAGE);
}

function traefik(nodePort: number): object[] {
  const metadata = { name: 'traefik', namespace: NAMESPACE };
  const labels = { app: 'traefik' };
  const args = [
    `--entryPoints.web.address=:${PORT}`,
    '--entryPoints.web.http.encodedCharacters.allowEncodedSlash=true',
    '--entryPoints.web.http.sanitizePath=false',
    '--entryPoints.web.transport.respondingTimeouts.readTimeout=0',
    '--providers.kubernetesGateway',
    '--global.checkNewVersion=false',
    '--global.sendAnonymousUsage=false',
  ];
  const container = { name: 'traefik', image: IMAGE, imagePullPolicy: 'Never', args, ports: [{ containerPort: PORT }] };
  const readinessProbe = { tcpSocket: { port: PORT }, periodSeconds: 1 };
  const template = {
    metadata: { labels },
    spec: { serviceAccountName: 'traefik', containers: [{ ...container, readinessProbe }] },
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'traefik' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'traefik', namespace: NAMESPACE }],
    },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector: { matchLabels: labels }, template } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { type: 'NodePort', selector: labels, ports: [{ port: PORT, nodePort }] },
    },
  ];
}

function gateway(): object[] {
  const apiVersion = 'gateway.networking.k8s.io/v1';
  const controllerName = 'traefik.io/gateway-controller';
  const allowedRoutes = { namespaces: { from: 'All' } };
  const listeners = [{ name: GATEWAY.sectionName, protocol: 'HTTP', port: PORT, allowedRoutes }];
  return [
    { apiVersion, kind: 'GatewayClass', metadata: { name: 'traefik' }, spec: { controllerName } },
    {
      apiVersion,
      kind: 'Gateway',
      metadata: { name: GATEWAY.name, namespace: NAMESPACE },
      spec: { gatewayClassName: 'traefik', listeners },
    },
  ];
}
