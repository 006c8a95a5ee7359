import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, type Readable, type Writable } from 'node:stream';
import { finished as end } from 'node:stream/promises';
import { makePrivateDirectory } from '../../../src/common/fs/atomic.ts';
import type { Incoming } from '../domain/ports.ts';
import { BrokenOff } from '../domain/uploads.ts';
import { HashedFile } from './hashed-file.ts';

const IDLE_MS = 30_000;

/**
 * Receives content into files of `folder`, which is emptied first. @param options.areKept they become the stored files
 */
export async function createIncoming(folder: string, { areKept = true } = {}): Promise<Incoming> {
  await rm(folder, { recursive: true, force: true });
  await makePrivateDirectory(folder);

  return {
    async receive(content, { maxBytes, idleMs = IDLE_MS, attempt = (work) => work() }) {
      // The content may fail while nobody reads it.
      content.on('error', () => {});
      const path = join(folder, randomBytes(12).toString('hex'));
      const file = await attempt(() => open(path, 'wx', 0o600));
      try {
        const target = new HashedFile(file, { maxBytes, idleMs, attempt, isKept: areKept });
        pipe(content, target);
        await end(target);
        return { path, size: target.size, sha256: target.digest() };
      } catch (error) {
        await rm(path, { force: true }).catch(() => {});
        throw error;
      } finally {
        await file.close();
      }
    },

    discard: ({ path }) => rm(path, { force: true }),
  };
}

/** Pipes `content`. Unlike `pipeline` it never destroys the content: a request that is refused still gets its answer. */
function pipe(content: Readable, target: Writable): void {
  const unwatch = finished(content, { writable: false }, (error) => {
    if (error) target.destroy(BrokenOff.from(error));
  });
  content.pipe(target).once('close', () => {
    unwatch();
    content.unpipe(target);
  });
}
