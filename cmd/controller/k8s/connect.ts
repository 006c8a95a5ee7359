import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../src/common/config.ts';
import { proxyFor } from '../../../src/common/net/proxy.ts';
import type { Connection, Credentials } from './connection.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The cluster that `KUBECONFIG` names, else the one that this pod runs in (`KUBERNETES_SERVICE_HOST`), through the proxy that
 * `HTTPS_PROXY` and `NO_PROXY` give.
 * @param options.folder where the service account is mounted
 * @throws {Error} that says what is missing
 */
export async function connect(environment: Environment, options: { folder?: string } = {}): Promise<Connection> {
  const paths = environment['KUBECONFIG'];
  // Outside of a cluster only, and heavy.
  if (paths) {
    const connection = await (await import('./kubeconfig.ts')).fromKubeconfig(paths);
    return { ...connection, proxy: proxyFor(new URL(connection.server), environment) };
  }
  const host = environment['KUBERNETES_SERVICE_HOST'];
  if (!host) throw new Error('neither KUBECONFIG nor, as in a pod, KUBERNETES_SERVICE_HOST is set');
  const port = environment['KUBERNETES_SERVICE_PORT'] || '443';
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { ...inCluster(server, options.folder ?? SERVICE_ACCOUNT), proxy: proxyFor(new URL(server), environment) };
}

function inCluster(server: string, folder: string): Connection {
  const read = (name: string): string => {
    const text = readFileSync(join(folder, name), 'utf8').trim();
    if (text === '') throw new Error(`${join(folder, name)} is empty`);
    return text;
  };
  const current = (): Credentials => ({ authorization: `Bearer ${read('token')}`, ca: read('ca.crt') });
  let last = current();
  return {
    server,
    namespace: read('namespace'),
    async credentials() {
      try {
        // Small files in memory, replaced hourly by the kubelet: cheaper to read than to watch, and never stale.
        last = current();
      } catch {
        // Just being replaced: the token before it is good for a while yet.
      }
      return last;
    },
  };
}
