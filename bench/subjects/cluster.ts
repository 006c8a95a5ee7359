import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '../../cmd/controller/k8s/client.ts';
import { type ApiServer, apiServerMissing, startApiServer } from '../../test/support/api-server.ts';
import { defineInstances } from '../../test/support/controller.ts';
import { helmMissing, render } from '../../test/support/helm.ts';
import { readKubeConfig } from '../../test/support/kubeconfig.ts';
import { onRelease } from '../releases.ts';

const NAMESPACE = 'svc-system';
const ACCOUNT = 'svc-controller';
const USER = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`;

/** An API server that knows our kind, and what a pod of the controller finds mounted. */
export interface Cluster {
  server: ApiServer;
  /** The kubeconfig of a cluster admin. */
  client: ApiClient;
  /** The namespace of the instances. */
  namespace: string;
  /** Folder below which its service account is mounted. */
  root: string;
  /** Main module of the controller. */
  main: string;
  /** True if the controller may do only what the chart grants it; false if everything. */
  rights: 'chart' | 'admin';
  /** The writes of the controller since the start, by the API server's audit log: `patch deployments`. */
  writes(): Promise<Map<string, number>>;
  stop(): Promise<void>;
}

/**
 * Starts an API server for a measurement; files go below `directory`.
 * @param main of the controller, see `buildController`
 */
export async function startCluster(directory: string, main: string): Promise<Cluster> {
  const missing = apiServerMissing();
  if (missing !== undefined) throw new Error(missing);
  const folder = await mkdtemp(join(directory, 'cluster-'));
  const policy = join(folder, 'audit-policy.yaml');
  const auditLog = join(folder, 'audit.log');
  await writeFile(policy, JSON.stringify(AUDIT_POLICY));
  const server = await startApiServer([`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`]);
  const { ca } = server;
  const client = new ApiClient(readKubeConfig(server.kubeconfig));
  const stop = onRelease(async () => {
    client.close();
    await server.stop();
  });
  await defineInstances(server);
  await server.kubectl(['create', 'namespace', NAMESPACE]);
  const serviceAccount = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(serviceAccount, { recursive: true });
  await writeFile(join(serviceAccount, 'token'), await server.serviceAccount(NAMESPACE, ACCOUNT));
  await writeFile(join(serviceAccount, 'ca.crt'), ca);
  await writeFile(join(serviceAccount, 'namespace'), NAMESPACE);
  const rights = helmMissing() === undefined ? 'chart' : 'admin';
  if (rights === 'chart') await grantAsChart(server);
  else await server.kubectl(['create', 'clusterrolebinding', ACCOUNT, '--clusterrole=cluster-admin', `--user=${USER}`]);
  return {
    ...{ server, client, root: folder, main, rights, stop },
    namespace: await server.namespace(),
    writes: async () => countWrites(await readFile(auditLog, 'utf8').catch(() => '')),
  };
}

const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'Metadata', users: [USER], verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

async function grantAsChart(server: ApiServer): Promise<void> {
  const rules = (await render()).filter(({ apiVersion }) => apiVersion.startsWith('rbac.authorization.k8s.io/'));
  await server.kubectl(['apply', '-f', '-'], rules.map((rule) => JSON.stringify(rule)).join('\n---\n'));
}

interface AuditEvent {
  verb: string;
  objectRef: { resource: string; subresource?: string };
}

function countWrites(log: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of log.split('\n').filter((text) => text.endsWith('}'))) {
    const { verb, objectRef } = JSON.parse(line) as AuditEvent;
    const name = [`${verb} ${objectRef.resource}`, objectRef.subresource].filter(Boolean).join('/');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
