import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new folder `svc-<purpose>-<process id>-…` below the machine's temporary folder. Those of the same purpose that a
 * killed process has left behind are removed.
 */
export async function ownFolder(purpose: string): Promise<string> {
  await Promise.all(abandonedFolders(purpose).map(removeFolder));
  return newFolder(purpose);
}

/** The same, removing nothing. */
export function newFolder(purpose: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `svc-${purpose}-${process.pid}-`));
}

/** Paths of the folders of a purpose whose process has ended. */
function abandonedFolders(purpose: string): string[] {
  const prefix = `svc-${purpose}-`;
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(prefix))
    .filter((name) => {
      const pid = /^(\d+)-/.exec(name.slice(prefix.length))?.[1];
      return pid !== undefined && !existsSync(`/proc/${pid}`);
    })
    .map((name) => join(tmpdir(), name));
}

/** Removes a folder that processes may have been writing to until a moment ago. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
