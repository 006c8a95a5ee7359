import type { RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Connection, Credentials } from './connection.ts';

/** Certificates and tokens of a kubeconfig may be files or come from a command; they are asked for again that often. */
const FRESH_MS = 30_000;

/**
 * The current context of a kubeconfig.
 * @param paths one file or several, as in the variable KUBECONFIG
 * @throws {Error} without the development dependency, or when the kubeconfig asks for what is not done: no check of
 * certificates, a proxy, impersonation
 */
export async function fromKubeconfig(paths: string): Promise<Connection> {
  const config = await load(paths.split(delimiter).filter(Boolean));
  const cluster = config.getCurrentCluster();
  if (!cluster?.server) throw new Error('the kubeconfig has no current context with a cluster');
  if (cluster.skipTLSVerify) throw new Error('the kubeconfig has insecure-skip-tls-verify: name its authority instead');
  if (cluster.proxyUrl) throw new Error('the kubeconfig has a proxy-url, which is not supported');
  // Left out, it would mean to act with more rights than was meant.
  if (config.getCurrentUser()?.impersonateUser) throw new Error('the kubeconfig impersonates, which is not supported');
  let fresh: { until: number; credentials: Promise<Credentials> } | undefined;
  return {
    server: cluster.server.replace(/\/+$/, ''),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    credentials() {
      if (!fresh || performance.now() >= fresh.until) {
        fresh = { until: performance.now() + FRESH_MS, credentials: credentialsOf(config) };
        fresh.credentials.catch(() => {
          fresh = undefined;
        });
      }
      return fresh.credentials;
    },
  };
}

async function load(files: string[]): Promise<KubeConfig> {
  const library = await import('@kubernetes/client-node').catch((error: unknown) => {
    throw new Error('KUBECONFIG needs the development dependency @kubernetes/client-node', { cause: error });
  });
  const config = new library.KubeConfig();
  for (const [index, file] of files.entries()) {
    const next = new library.KubeConfig();
    next.loadFromFile(file);
    if (index === 0) config.loadFromOptions(next);
    else config.mergeConfig(next, true);
  }
  return config;
}

async function credentialsOf(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, auth, headers } = options;
  const authorization = auth
    ? `Basic ${Buffer.from(auth).toString('base64')}`
    : (headers as Record<string, string> | undefined)?.['Authorization'];
  return {
    ...(authorization !== undefined && { authorization }),
    ...(ca !== undefined && { ca: String(ca) }),
    ...(cert !== undefined && { cert: String(cert) }),
    ...(key !== undefined && { key: String(key) }),
    ...(servername !== undefined && { servername }),
  };
}
