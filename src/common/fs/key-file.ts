import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeAtomic } from './atomic.ts';

const KEY_BYTES = 32;

/**
 * A secret key that a service made for itself and keeps: 32 random bytes, made by the first call (0600, flushed).
 * @throws {Error} when the file cannot be read or holds less: a new key would undo what was signed with the old one
 */
export async function keptKey(path: string): Promise<Buffer> {
  const existing = await readKey(path);
  if (existing) return existing;
  const key = newKey();
  await writeAtomic(path, key, { durable: true });
  return key;
}

/** Returns the key of a file, undefined when there is no file. @throws {Error} as `keptKey` */
export async function readKey(path: string): Promise<Buffer | undefined> {
  const existing = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (existing && existing.length < KEY_BYTES)
    throw new Error(`${path} has fewer than ${KEY_BYTES} bytes: restore or remove it`);
  return existing;
}

/** Makes a key. */
export function newKey(): Buffer {
  return randomBytes(KEY_BYTES);
}
