import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Editors and kubelets touch a file several times in a row; one look afterwards is enough. */
const SETTLE_MS = 50;
const POLL_MS = 15_000;

export interface WatchFilesOptions {
  /** Milliseconds between looks that no event asked for. */
  pollMs?: number | undefined;
}

/**
 * Calls `look` soon after one of the files may have changed, appeared or gone, and now and then in any case; one look
 * after the other, so that an older reading never overtakes a newer one. What is watched are their folders: a
 * Kubernetes Secret changes by the swap of the link `..data` beside the file, and a replaced file is not the one that
 * was watched. A folder may come later; some file systems have no events, hence the poll. Holds no process open.
 * @param look does not reject
 * @returns what ends it
 */
export function watchFiles(
  paths: readonly string[],
  look: () => Promise<void>,
  options: WatchFilesOptions = {},
): () => void {
  const folders = Map.groupBy(paths, (path) => dirname(path));
  const armed = new Map<string, { watcher: FSWatcher; inode: bigint }>();
  let settling: NodeJS.Timeout | undefined;
  let looks = Promise.resolve();

  function soon(): void {
    settling ??= setTimeout(() => {
      settling = undefined;
      arm();
      looks = looks.then(look);
    }, SETTLE_MS).unref();
  }

  /** Watches each existing folder, and again a folder that was replaced. */
  function arm(): void {
    for (const [folder, files] of folders) {
      try {
        armFolder(folder, new Set(files.map((path) => basename(path))));
      } catch {
        // Out of watches, or not permitted: the poll is left.
      }
    }
  }

  function armFolder(folder: string, names: ReadonlySet<string>): void {
    const inode = statSync(folder, { bigint: true, throwIfNoEntry: false })?.ino;
    if (armed.get(folder)?.inode === inode) return;
    disarm(folder);
    if (inode === undefined) return;
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name === null || name.startsWith('..') || names.has(name)) soon();
    });
    watcher.on('error', () => disarm(folder));
    armed.set(folder, { watcher, inode });
  }

  function disarm(folder: string): void {
    armed.get(folder)?.watcher.close();
    armed.delete(folder);
  }

  arm();
  // For changes from before the folders were watched.
  soon();
  const poll = setInterval(soon, options.pollMs ?? POLL_MS).unref();
  return () => {
    clearInterval(poll);
    clearTimeout(settling);
    for (const folder of [...armed.keys()]) disarm(folder);
  };
}
