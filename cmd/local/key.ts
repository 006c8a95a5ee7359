import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory, writeAtomic } from '../../src/common/fs/atomic.ts';

/** The API key of this machine's own service: made once, the same at every later start. */
export async function localKey(directory: string): Promise<string> {
  const path = join(directory, 'api-key');
  const existing = await readFile(path, 'utf8').catch(() => '');
  if (/^svc_[A-Za-z0-9_-]{32}$/.test(existing)) return existing;
  await makePrivateDirectory(directory);
  const key = `svc_${randomBytes(24).toString('base64url')}`;
  await writeAtomic(path, key);
  return key;
}
