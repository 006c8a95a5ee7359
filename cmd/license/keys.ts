import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateEd25519, KID_PATTERN, parseKeySet, toPublic } from '../../src/common/crypto/key-set.ts';
import { writeAtomic } from '../../src/common/fs/atomic.ts';
import { readSmallFile } from '../../src/common/fs/read-small.ts';
import { readArguments, UsageError } from './arguments.ts';

const PUBLIC_KEYS = 'license-keys.json';

/** `keys`: generates a key pair, and adds its public half to the JWK Set. */
export async function keys(args: readonly string[]): Promise<number> {
  const { out, kid } = readArguments(args, ['out'], ['kid']);
  if (kid !== undefined && !KID_PATTERN.test(kid)) {
    throw new UsageError('--kid must have 1 to 64 letters, digits, . _ or -, and must not begin with a .');
  }
  const key = generateEd25519(kid);
  const publicPath = join(out, PUBLIC_KEYS);
  const privatePath = join(out, `license-${key.kid}.private.jwk`);

  await mkdir(out, { recursive: true, mode: 0o700 });
  const set = await existingSet(publicPath);
  if (set.some((other) => other.kid === key.kid)) {
    throw new UsageError(`${publicPath} already has a key with the kid ${key.kid}`);
  }
  await writePrivate(privatePath, json(key));
  await writeAtomic(publicPath, json({ keys: [...set, toPublic(key)] }), { mode: 0o644, durable: true });

  console.log(`private key  ${privatePath}  (signs licences; keep it off the server, with a backup in a safe place)`);
  console.log(`public keys  ${publicPath}  (verifies them; belongs on the server)`);
  console.log(`kid          ${key.kid}`);
  return 0;
}

/** Returns all members of the set as they are. */
async function existingSet(path: string): Promise<{ kid?: string }[]> {
  const file = await readSmallFile(path);
  if (!file.ok) throw new UsageError(`${path} ${file.problem}`);
  if (!file.text) return [];
  const parsed = parseKeySet(file.text);
  if (!parsed.ok) throw new UsageError(`cannot add a key to ${path}: ${parsed.problem}`);
  return JSON.parse(file.text).keys;
}

/** Never overwrites a file. */
async function writePrivate(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new UsageError(`${path} exists, and private keys are never overwritten: choose another --kid`);
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
