import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { UnsavedOrigin } from '../domain/unsaved.ts';

const NAME = /^(doc_[0-9a-f]+)_(\d+)_(\d+)_([0-9a-f]{64})$/;

/**
 * Takes in the edits that an earlier release kept as files `<folder>/<document>_<time>_<process>_<SHA-256>`. Each file goes
 * when `takeIn` has resolved.
 */
export async function moveUnsavedFiles(
  folder: string,
  takeIn: (origin: UnsavedOrigin, content: Readable) => Promise<void>,
): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  for (const name of names) {
    const [, docId, at, pid, sha256] = NAME.exec(name) ?? [];
    if (docId === undefined || sha256 === undefined) continue;
    const path = join(folder, name);
    await takeIn({ docId, at: Number(at), pid: Number(pid), sha256 }, createReadStream(path));
    await rm(path);
  }
}
