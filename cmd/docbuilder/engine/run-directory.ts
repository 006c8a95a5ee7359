import { hash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from '../../../src/common/log.ts';
import { fileError } from './job-folder.ts';

/** LibreOffice always creates its sockets here; in a mount namespace this is the worker's own /tmp. */
const SOCKET_DIRECTORY = '/tmp';
const PREFIX = 'engine-';

/** Creates the folder of this process in `path`, and removes those of earlier processes that were killed. */
export async function createRunDirectory(path: string, log: Logger): Promise<string> {
  await mkdir(path, { recursive: true });
  // The paths that the worker and the kernel report have no symbolic links.
  const workDir = await realpath(path);
  await removeDead(workDir, log);
  const directory = join(workDir, `${PREFIX}${randomBytes(8).toString('hex')}`);
  await mkdir(directory);
  // Workers with their own uid pass through it to their folder and cannot list it.
  await chmod(directory, 0o711);
  return directory;
}

/** Returns whether every user may pass through `directory` and all folders above it. */
export async function isOpen(directory: string): Promise<boolean> {
  const { mode } = await stat(directory);
  if ((mode & 0o001) === 0) return false;
  return directory === '/' || isOpen(dirname(directory));
}

async function removeDead(workDir: string, log: Logger): Promise<void> {
  for (const name of await readdir(workDir)) {
    if (!name.startsWith(PREFIX)) continue;
    const dead = join(workDir, name);
    await killOrphans(dead);
    await removeSockets((await readdir(dead)).map((worker) => join(dead, worker)));
    await removeFolder(dead, log);
  }
}

/**
 * Removes a folder in which workers wrote. A failure is logged only: a worker that a document has taken over can leave
 * what cannot be removed, such as folders nested deeper than a path may be long.
 */
export async function removeFolder(path: string, log: Logger): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch((error) =>
    log.warn({ err: fileError(error) }, 'a folder of workers could not be removed'),
  );
}

/** Kills bubblewrap processes that wait for ever for a parent that was killed. Their arguments contain the folder. */
async function killOrphans(directory: string): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.startsWith('bwrap\0') && command.includes(`\0${directory}/`)) process.kill(Number(pid), 'SIGKILL');
  }
}

/** Returns the URL of the profile in a worker's folder. */
export function profileUrl(directory: string): string {
  return pathToFileURL(join(directory, 'profile')).href;
}

/** Returns the name of the UNO pipe of the worker in `directory`. */
export function pipeName(directory: string): string {
  return `svc_${hash('md5', directory)}`;
}

/**
 * Removes the sockets of killed workers: their UNO pipe, and the one by which LibreOffice finds a second instance, named
 * by the MD5 of the profile's URL. Versions differ in writing leading zeros of a byte.
 */
export async function removeSockets(directories: readonly string[]): Promise<void> {
  const names = directories.flatMap((directory) => {
    const digest = hash('md5', Buffer.from(profileUrl(directory), 'utf16le'), 'buffer');
    const bare = [...digest].map((byte) => byte.toString(16)).join('');
    return [pipeName(directory), `SingleOfficeIPC_${digest.toString('hex')}`, `SingleOfficeIPC_${bare}`];
  });
  const wanted = new Set(names);
  for (const name of await readdir(SOCKET_DIRECTORY)) {
    const own = /^OSL_PIPE_(?:\d+_)?(.+)$/.exec(name)?.[1];
    if (own !== undefined && wanted.has(own)) await unlink(join(SOCKET_DIRECTORY, name)).catch(() => undefined);
  }
}
