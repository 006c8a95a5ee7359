import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../src/common/config.ts';
import { signEdDsa } from '../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../src/common/crypto/key-set.ts';

const key = generateEd25519('development');

/** Claims of a licence for tests and scripts. */
export interface Grant {
  conns?: number;
  features?: string[];
  /** Seconds from now. */
  expiresIn?: number;
}

/** Writes a licence file and its key set into `directory` and returns the settings that name them. */
export async function writeLicense(directory: string, grant: Grant = {}): Promise<Environment> {
  await mkdir(directory, { recursive: true });
  const [file, keys] = [join(directory, 'license.jwt'), join(directory, 'keys.json')];
  const now = Math.floor(Date.now() / 1000);
  const { conns = 5000, features = ['api_full', 'callback'], expiresIn = 86_400 } = grant;
  const token = await signEdDsa({ conns, features, sub: 'Test company', iat: now - 60, exp: now + expiresIn }, key);
  await writeFile(file, token);
  await writeFile(keys, JSON.stringify({ keys: [toPublic(key)] }));
  return { SVC_LICENSE_FILE: file, SVC_LICENSE_KEYS_FILE: keys };
}
