import { readFile } from 'node:fs/promises';
import { type Grant, writeLicense } from '../../scripts/support/license.ts';
import type { Environment } from '../../src/common/config.ts';
import { secret } from './logs.ts';

/** Writes a licence into `directory`; its token may stand in no log. */
export async function licensed(directory: string, grant: Grant = {}): Promise<Environment> {
  const environment = await writeLicense(directory, grant);
  secret(await readFile(String(environment['SVC_LICENSE_FILE']), 'utf8'));
  return environment;
}
