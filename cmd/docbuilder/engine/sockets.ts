import { createHash } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** LibreOffice puts its sockets here, whatever its settings; in a mount namespace this is the worker's own /tmp. */
const SOCKET_DIRECTORY = '/tmp';

/** The URL by which LibreOffice knows the profile in a worker's folder. */
export function profileUrl(directory: string): string {
  return pathToFileURL(join(directory, 'profile')).href;
}

/** The name of the UNO pipe of the worker in `directory`. */
export function pipeName(directory: string): string {
  return `svc_${createHash('md5').update(directory).digest('hex')}`;
}

/**
 * Removes the sockets of killed workers: their UNO pipe and the one by which LibreOffice finds a second instance of
 * itself, whose name is a digest of the profile's URL.
 */
export async function removeSockets(directories: readonly string[]): Promise<void> {
  const wanted = new Set(directories.flatMap((directory) => [pipeName(directory), ...instanceNames(directory)]));
  for (const name of await readdir(SOCKET_DIRECTORY)) {
    const own = /^OSL_PIPE_(?:\d+_)?(.+)$/.exec(name)?.[1];
    if (own !== undefined && wanted.has(own)) await unlink(join(SOCKET_DIRECTORY, name)).catch(() => undefined);
  }
}

/** With and without leading zeros in a byte: versions differ. */
function instanceNames(directory: string): string[] {
  const bytes = createHash('md5')
    .update(Buffer.from(profileUrl(directory), 'utf16le'))
    .digest();
  const padded = bytes.toString('hex');
  const bare = [...bytes].map((byte) => byte.toString(16)).join('');
  return [`SingleOfficeIPC_${padded}`, `SingleOfficeIPC_${bare}`];
}
