import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FrontSettings, nginxArguments, readFrontConfig } from '../../src/common/front.ts';
import { exists } from '../../src/common/fs/exists.ts';
import type { ServiceOptions } from './service.ts';

/** The paths at which distributions put nginx; not every user's PATH has it. */
const PROGRAMS = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx', '/usr/local/nginx/sbin/nginx'];

/** The front's own nginx with a configuration in `prefix`: nothing of the machine's nginx is used but the program. */
export async function nginx(settings: FrontSettings): Promise<Pick<ServiceOptions, 'command' | 'parameters'>> {
  await mkdir(settings.prefix, { recursive: true, mode: 0o700 });
  const configFile = join(settings.prefix, 'nginx.conf');
  await writeFile(configFile, await readFrontConfig(settings), { mode: 0o600 });
  return { command: await program(), parameters: nginxArguments(configFile, settings.prefix) };
}

async function program(): Promise<string> {
  for (const path of PROGRAMS) if (await exists(path)) return path;
  return 'nginx';
}
