import { readFile, writeFile } from 'node:fs/promises';
import { KubeConfig, type User } from '@kubernetes/client-node';
import { secret } from './logs.ts';
import type { KeyPair } from './pki.ts';

export interface KubeconfigOptions {
  /** Address of the API server, `https://…`. */
  server: string;
  /** Path of the authority's certificate. */
  authority: string;
  /** Its user has this certificate. */
  identity: KeyPair;
}

/** Writes a kubeconfig that holds all it needs, so that it may be copied. */
export async function writeKubeconfig(file: string, { server, authority, identity }: KubeconfigOptions): Promise<void> {
  const [ca, certData, keyData] = await Promise.all(
    [authority, identity.certificate, identity.key].map((path) => readFile(path, 'base64')),
  );
  await write(file, server, ca ?? '', { certData: certData ?? '', keyData: keyData ?? '' });
}

/** One for who has a token. @param options.authority the authority's certificate, PEM */
export async function writeTokenKubeconfig(
  file: string,
  { server, authority, token }: { server: string; authority: string; token: string },
): Promise<void> {
  await write(file, server, Buffer.from(authority).toString('base64'), { token: secret(token) });
}

async function write(file: string, server: string, caData: string, user: Omit<User, 'name'>): Promise<void> {
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'test', server, caData, skipTLSVerify: false }, { name: 'test', ...user });
  await writeFile(file, config.exportConfig(), { mode: 0o600 });
}

/** Reads a kubeconfig for a client of this process. */
export function readKubeConfig(file: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return config;
}
