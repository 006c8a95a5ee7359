import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '../../cmd/controller/k8s/client.ts';
import { type ApiServer, apiServerMissing, startApiServer } from '../../test/support/api-server.ts';
import { defineInstances } from '../../test/support/controller.ts';
import { helmMissing, render } from '../../test/support/helm.ts';
import { readKubeConfig } from '../../test/support/kubeconfig.ts';
import { onRelease } from '../releases.ts';

const NAMESPACE = 'svc-system';
const ACCOUNT = 'svc-controller';

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
  stop(): Promise<void>;
}

/**
 * Starts an API server for a measurement; files go below `directory`.
 * @param main of the controller, see `buildController`
 */
export async function startCluster(directory: string, main: string): Promise<Cluster> {
  const missing = apiServerMissing() ?? helmMissing();
  if (missing !== undefined) throw new Error(missing);
  const folder = await mkdtemp(join(directory, 'cluster-'));
  const server = await startApiServer();
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
  await grantAsChart(server);
  return { server, client, namespace: await server.namespace(), root: folder, main, stop };
}

async function grantAsChart(server: ApiServer): Promise<void> {
  const rules = (await render()).filter(({ apiVersion }) => apiVersion.startsWith('rbac.authorization.k8s.io/'));
  await server.kubectl(['apply', '-f', '-'], rules.map((rule) => JSON.stringify(rule)).join('\n---\n'));
}
