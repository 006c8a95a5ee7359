import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { kubernetesProgram } from '../../../support/kubernetes.ts';
import { buildah, buildahEnvironment } from './buildah.ts';

/** What tells this image from all others: the digest of its configuration. @param image `localhost/svc/gate:1.0.0` */
export async function imageId(cache: string, image: string): Promise<string> {
  const found = await buildah(cache, ['inspect', '--type', 'image', '--format', '{{.FromImageID}}', image]);
  return found.trim();
}

/**
 * An image as an archive, under its own name.
 * @param take takes the stream; resolves when it has
 */
export async function archive(cache: string, image: string, take: (tar: Readable) => Promise<unknown>): Promise<void> {
  const env = await buildahEnvironment(cache);
  const destination = `docker-archive:/dev/stdout:${image}`;
  // buildah opens its stdout a second time. It can where that is a pipe; what Node makes is a socket.
  const piped = ['-o', 'pipefail', '-c', '"$@" | cat', 'bash'];
  const push = ['unshare', '--mount', '--', 'buildah', 'push', '--quiet', image, destination];
  const child = spawn('bash', [...piped, ...push], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [[code]] = await Promise.all([once(child, 'exit'), take(child.stdout)]);
  if (code !== 0) throw new Error(`could not export ${image}`);
}

/** The image of the process that holds a pod's namespaces, as a file that is made once. */
export async function pauseArchive(cache: string): Promise<string> {
  const program = kubernetesProgram('pause');
  const file = join(dirname(program), 'pause.tar');
  if (existsSync(file)) return file;
  const container = (await buildah(cache, ['from', 'scratch'])).trim();
  await buildah(cache, ['copy', '--quiet', container, program, '/pause']);
  await buildah(cache, ['config', '--entrypoint', '["/pause"]', container]);
  await buildah(cache, ['commit', '--quiet', '--rm', container, 'localhost/pause:1']);
  // Complete, or not there.
  await rm(`${file}.new`, { force: true });
  await buildah(cache, ['push', '--quiet', 'localhost/pause:1', `docker-archive:${file}.new:localhost/pause:1`]);
  await rename(`${file}.new`, file);
  return file;
}
