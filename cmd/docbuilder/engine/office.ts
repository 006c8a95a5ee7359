import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exists } from '../../../src/common/fs/exists.ts';

/** An installed LibreOffice. */
export interface Office {
  /** The folder that holds `soffice.bin`. */
  program: string;
  /** Such as `7.4.7.2`, and its first two parts. */
  version: string;
  release: string;
  buildId: string;
  vendor: string;
  python: string;
}

/** Finds LibreOffice in `directory`, or where Debian or The Document Foundation installs it, the newest first. */
export async function findOffice(directory?: string): Promise<Office> {
  const optional = (await readdir('/opt').catch(() => [])).filter((name) => name.startsWith('libreoffice')).sort();
  const installed = optional.reverse().map((name) => join('/opt', name, 'program'));
  for (const program of directory === undefined ? ['/usr/lib/libreoffice/program', ...installed] : [directory]) {
    if (await exists(join(program, 'soffice.bin'))) return describe(program);
  }
  throw new Error(`LibreOffice is not installed${directory === undefined ? '' : ` in ${directory}`}`);
}

async function describe(program: string): Promise<Office> {
  const rc = await readFile(join(program, 'versionrc'), 'utf8');
  const entry = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(rc)?.[1]?.trim() ?? '';
  const version = await askVersion(program);
  const bundled = join(program, 'python');
  return {
    program,
    version,
    release: version.split('.').slice(0, 2).join('.'),
    buildId: entry('buildid'),
    vendor: entry('Vendor') || 'unknown',
    python: (await exists(bundled)) ? bundled : '/usr/bin/python3',
  };
}

/** Asks for the version, which needs no profile: nothing is written, and a kill leaves nothing. */
async function askVersion(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    join(program, 'soffice.bin'),
    ['--version', '-env:UserInstallation=file:///dev/null/none'],
    { env: { HOME: '/dev/null', PATH: '/usr/bin:/bin', SAL_USE_VCLPLUGIN: 'svp' }, timeout: 20_000 },
  );
  const version = /LibreOffice (\d+(?:\.\d+)+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`LibreOffice in ${program} does not tell its version`);
  return version;
}
