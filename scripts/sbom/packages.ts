import { createReadStream, existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Something that an image holds and that may have weaknesses of its own. */
export interface Package {
  name: string;
  version: string;
  /** Package URL: what databases of weaknesses know it by. */
  purl: string;
  /** SPDX expression, or whatever its author wrote. */
  license?: string;
}

/** Debian packages below `root`: of dpkg, or of an image without dpkg, where `status.d` has a file for each. */
export async function debianPackages(root: string): Promise<Package[]> {
  const folder = join(root, 'var/lib/dpkg');
  const files = [join(folder, 'status'), ...globSync(join(folder, 'status.d/*'))].filter((path) => existsSync(path));
  const release = fields(await readFile(join(root, 'etc/os-release'), 'utf8').catch(() => ''), '=');
  const distribution = `distro=debian-${(release.get('VERSION_ID') ?? release.get('VERSION_CODENAME') ?? 'unknown').replaceAll('"', '')}`;
  const found: Package[] = [];
  for (const path of files) {
    for (const paragraph of (await readFile(path, 'utf8')).split('\n\n')) {
      const entry = fields(paragraph, ':');
      const [name, version] = [entry.get('Package'), entry.get('Version')];
      if (name === undefined || version === undefined || !entry.get('Status')?.endsWith(' installed')) continue;
      const query = `arch=${entry.get('Architecture')}&${distribution}`;
      found.push({
        name,
        version,
        purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${query}`,
      });
    }
  }
  return found;
}

/** npm's modules below `root`, wherever they lie, each version once. */
export async function nodeModules(root: string): Promise<Package[]> {
  const found = new Map<string, Package>();
  for (const path of globSync(join(root, 'opt/**/node_modules/{*,@*/*}/package.json'))) {
    const module = JSON.parse(await readFile(path, 'utf8')) as { name?: string; version?: string; license?: unknown };
    const { name, version, license } = module;
    // Folders inside of a module may have such a file as well, to say how their files are to be read.
    if (name === undefined || version === undefined) continue;
    const purl = `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
    found.set(purl, { name, version, purl, ...(typeof license === 'string' ? { license } : {}) });
  }
  return [...found.values()];
}

/** Node itself, which is no package: its program holds the address of its own headers. */
export async function nodeItself(root: string): Promise<Package[]> {
  const program = join(root, 'usr/local/bin/node');
  if (!existsSync(program)) return [];
  let rest = '';
  for await (const chunk of createReadStream(program, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    const version = /node-v(\d+\.\d+\.\d+)-headers/.exec(rest + chunk)?.[1];
    if (version !== undefined) return [{ name: 'node', version, purl: `pkg:generic/node@${version}`, license: 'MIT' }];
    rest = String(chunk).slice(-100);
  }
  throw new Error(`no version in ${program}`);
}

function fields(text: string, separator: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => /^[A-Za-z]/.test(line) && line.includes(separator));
  return new Map(
    lines.map((line) => {
      const end = line.indexOf(separator);
      return [line.slice(0, end), line.slice(end + 1).trim()];
    }),
  );
}
