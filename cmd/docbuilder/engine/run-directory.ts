import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from '../../../src/common/log.ts';
import { fileError } from './job-folder.ts';

/** LibreOffice puts its sockets here, whatever its settings; in a mount namespace this is the worker's own /tmp. */
const SOCKET_DIRECTORY = '/tmp';
const PREFIX = 'engine-';

/**
 * Makes the folder of this process under `path`, which no other process uses, and removes those of earlier ones, which were
 * killed before they could do so themselves.
 */
export async function createRunDirectory(path: string, log: Logger): Promise<string> {
  await mkdir(path, { recursive: true });
  // The paths that worker and kernel report below it have no symbolic links.
  const workDir = await realpath(path);
  await removeDead(workDir, log);
  const directory = join(workDir, `${PREFIX}${randomBytes(8).toString('hex')}`);
  await mkdir(directory);
  // Workers with a uid of their own pass through to their folder; they cannot list this one.
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
 * Removes a folder in which workers wrote. One that was taken over by a document can leave what cannot be removed, such as
 * folders nested deeper than a path may be long: that is no reason to end, nor not to start.
 */
export async function removeFolder(path: string, log: Logger): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch((error) =>
    log.warn({ err: fileError(error) }, 'a folder of workers could not be removed'),
  );
}

/**
 * Workers die with the service, but for one: a bubblewrap that was still waiting for its parent when that was killed
 * waits for ever. Its arguments name the folder.
 */
async function killOrphans(directory: string): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.startsWith('bwrap\0') && command.includes(`\0${directory}/`)) process.kill(Number(pid), 'SIGKILL');
  }
}

/** The URL by which LibreOffice knows the profile in a worker's folder. */
export function profileUrl(directory: string): string {
  return pathToFileURL(join(directory, 'profile')).href;
}

/** The name of the UNO pipe of the worker in `directory`. */
export function pipeName(directory: string): string {
  return `svc_${md5(directory).toString('hex')}`;
}

/**
 * Removes the sockets of killed workers: their UNO pipe and the one by which LibreOffice finds a second instance of
 * itself, whose name is a digest of the profile's URL, with and without leading zeros in a byte: versions differ.
 */
export async function removeSockets(directories: readonly string[]): Promise<void> {
  const names = directories.flatMap((directory) => {
    const digest = md5(Buffer.from(profileUrl(directory), 'utf16le'));
    const bare = [...digest].map((byte) => byte.toString(16)).join('');
    return [pipeName(directory), `SingleOfficeIPC_${digest.toString('hex')}`, `SingleOfficeIPC_${bare}`];
  });
  const wanted = new Set(names);
  for (const name of await readdir(SOCKET_DIRECTORY)) {
    const own = /^OSL_PIPE_(?:\d+_)?(.+)$/.exec(name)?.[1];
    if (own !== undefined && wanted.has(own)) await unlink(join(SOCKET_DIRECTORY, name)).catch(() => undefined);
  }
}

function md5(data: string | Buffer): Buffer {
  return createHash('md5').update(data).digest();
}
