import { readFile, writeFile } from 'node:fs/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { secret } from './logs.ts';
import type { KeyPair } from './pki.ts';

export interface KubeconfigOptions {
  /** Of the API server, `https://…`. */
  server: string;
  /** Path of the authority's certificate. */
  authority: string;
  /** Whoever uses it is the holder of this certificate. */
  identity: KeyPair;
}

/** Writes a kubeconfig that holds all it needs, so that it may be copied. */
export async function writeKubeconfig(file: string, options: KubeconfigOptions): Promise<void> {
  const content = async (path: string) => (await readFile(path)).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: { server: options.server, 'certificate-authority-data': await content(options.authority) },
      },
    ],
    users: [
      {
        name: 'test',
        user: {
          'client-certificate-data': await content(options.identity.certificate),
          'client-key-data': await content(options.identity.key),
        },
      },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
}

/** One for who has a token. @param options.authority the authority's certificate, PEM */
export async function writeTokenKubeconfig(
  file: string,
  { server, authority, token }: { server: string; authority: string; token: string },
): Promise<void> {
  const cluster = { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user: { token: secret(token) } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
}

/** Reads a kubeconfig for a client of this process. */
export function readKubeConfig(file: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return config;
}
