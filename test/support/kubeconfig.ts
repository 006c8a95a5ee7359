import { writeFile } from 'node:fs/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { secret } from './logs.ts';

/** Where an API server is, the PEM of its authority, and who asks. */
interface Access {
  server: string;
  authority: string;
  token: string;
}

/** Writes a kubeconfig that holds all it needs, so that it may be copied. */
export async function writeKubeconfig(file: string, { server, authority, token }: Access): Promise<void> {
  const config = new KubeConfig();
  const caData = Buffer.from(authority).toString('base64');
  const cluster = { name: 'test', server, caData, skipTLSVerify: false };
  config.loadFromClusterAndUser(cluster, { name: 'test', token: secret(token) });
  await writeFile(file, config.exportConfig(), { mode: 0o600 });
}

/** Reads a kubeconfig for a client of this process. */
export function readKubeConfig(file: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return config;
}
