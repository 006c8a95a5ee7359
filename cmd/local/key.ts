import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory, writeAtomic } from '../../src/common/fs/atomic.ts';

/** A secret of this machine's own service, such as its API key: made once, the same at every later start. */
export async function localSecret(directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  const existing = await readFile(path, 'utf8').catch(() => '');
  if (/^svc_[A-Za-z0-9_-]{32}$/.test(existing)) return existing;
  await makePrivateDirectory(directory);
  const secret = `svc_${randomBytes(24).toString('base64url')}`;
  await writeAtomic(path, secret);
  return secret;
}
