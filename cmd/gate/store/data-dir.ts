import { join } from 'node:path';
import { makePrivateDirectory, syncDirectory } from '../../../src/common/fs/atomic.ts';
import { keptKey } from '../../../src/common/fs/key-file.ts';
import { takeOwnership } from '../../../src/common/fs/ownership.ts';
import type { Blobs, Incoming, Rows, UnsavedFiles } from '../domain/ports.ts';
import { createBlobs } from './blobs.ts';
import { createIncoming } from './incoming.ts';
import { createRows } from './rows.ts';
import { createUnsavedFiles } from './unsaved-files.ts';

/** The gate's data on disk. */
export interface DataDir {
  rows: Rows;
  blobs: Blobs;
  unsavedFiles: UnsavedFiles;
  /** The key that download links are signed with, the same across restarts. */
  linkSecret: Buffer;
  incoming: Incoming;
  /** A folder for downloads; it is emptied at start. */
  temporary: string;
}

/**
 * Opens the data folder for this process alone: `gate.db`, `blobs/`, `unsaved/`, `incoming/` and `links.key`.
 * @param openBlobs opens another place for blobs than the folder's own
 * @throws {Error} when another living process uses it
 */
export async function openDataDir(path: string, openBlobs = openFolder): Promise<DataDir> {
  await makePrivateDirectory(path);
  // On a full disk nothing can be written down, but served, and cleaned away; the rows have a lock of their own.
  await takeOwnership(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
  const linkSecret = await keptKey(join(path, 'links.key'));
  // First the rows: their lock also holds against a process of another container, whose id says nothing here.
  const rows = await createRows(join(path, 'gate.db'));
  try {
    const blobs = await openBlobs(path);
    const unsavedFiles = await createUnsavedFiles(join(path, 'unsaved'));
    await syncDirectory(path);
    const temporary = join(path, 'incoming');
    const incoming = await createIncoming(temporary);
    return { rows, blobs, unsavedFiles, incoming, linkSecret, temporary };
  } catch (error) {
    await rows.close();
    throw error;
  }
}

function openFolder(path: string): Promise<Blobs> {
  return createBlobs(join(path, 'blobs'));
}
