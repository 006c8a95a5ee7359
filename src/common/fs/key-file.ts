import { randomBytes } from 'node:crypto';
import { writeAtomic } from './atomic.ts';
import { readIfThere } from './exists.ts';

const KEY_BYTES = 32;

/**
 * Reads a service's own secret key, and makes it (32 random bytes, 0600, flushed) if there is no file.
 * @throws {Error} when the file cannot be read or is too short: a new key would invalidate signatures
 */
export async function keptKey(path: string): Promise<Buffer> {
  const existing = await readKey(path);
  if (existing) return existing;
  const key = newKey();
  await writeAtomic(path, key, { durable: true });
  return key;
}

/** Reads a key; undefined without a file. @throws {Error} as `keptKey` */
export async function readKey(path: string): Promise<Buffer | undefined> {
  const existing = await readIfThere(path);
  if (existing && existing.length < KEY_BYTES)
    throw new Error(`${path} has fewer than ${KEY_BYTES} bytes: restore or remove it`);
  return existing;
}

export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}
