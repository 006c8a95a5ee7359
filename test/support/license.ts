import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../src/common/config.ts';
import { signEdDsa } from '../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../src/common/crypto/key-set.ts';
import { secret } from './logs.ts';

const key = generateEd25519('test');

/** A licence file and its key set in `directory`, as environment of a service. */
export async function licensed(
  directory: string,
  claims: { conns?: number; features?: string[]; expiresIn?: number } = {},
): Promise<Environment> {
  await mkdir(directory, { recursive: true });
  const [token, keys] = [join(directory, 'license.jwt'), join(directory, 'keys.json')];
  const now = Math.floor(Date.now() / 1000);
  const { conns = 5000, features = ['api_full', 'callback'], expiresIn = 86_400 } = claims;
  const text = await signEdDsa({ conns, features, sub: 'Test company', iat: now - 60, exp: now + expiresIn }, key);
  await writeFile(token, secret(text));
  await writeFile(keys, JSON.stringify({ keys: [toPublic(key)] }));
  return { SVC_LICENSE_FILE: token, SVC_LICENSE_KEYS_FILE: keys };
}
