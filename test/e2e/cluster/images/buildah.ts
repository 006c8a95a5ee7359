import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The environment in which buildah and the project's scripts use a store of images of their own, below `cache`. */
export async function buildahEnvironment(cache: string): Promise<NodeJS.ProcessEnv> {
  await mkdir(cache, { recursive: true });
  const file = join(cache, 'storage.conf');
  const settings = { driver: 'overlay', graphroot: join(cache, 'storage'), runroot: join(cache, 'storage-run') };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  await writeFile(file, `[storage]\n${lines.join('\n')}\n`);
  return {
    ...process.env,
    PATH: `${process.env['PATH']}:/usr/sbin:/sbin`,
    CONTAINERS_STORAGE_CONF: file,
    // Builds need neither a container runtime nor namespaces of their own.
    BUILDAH_ISOLATION: 'chroot',
  };
}

/** Runs a command that calls buildah. What is mounted for it goes with it. */
export async function withStore(cache: string, command: string, parameters: readonly string[], cwd?: string) {
  const env = await buildahEnvironment(cache);
  const options = { env, maxBuffer: 256 * 1024 * 1024, ...(cwd === undefined ? {} : { cwd }) };
  return promisify(execFile)('unshare', ['--mount', '--', command, ...parameters], options);
}

/** Runs buildah on that store. @returns its stdout */
export async function buildah(cache: string, parameters: readonly string[]): Promise<string> {
  return (await withStore(cache, 'buildah', parameters)).stdout;
}
