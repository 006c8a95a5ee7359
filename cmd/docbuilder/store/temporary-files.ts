import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Creates the temporary files of one request and its job. `remove` removes all that exist at the returned paths. */
export function createTemporaryFiles(directory: string): { newPath(): string; remove(): Promise<void> } {
  const paths: string[] = [];
  return {
    newPath() {
      const path = join(directory, randomBytes(12).toString('hex'));
      paths.push(path);
      return path;
    },
    remove: async () => void (await Promise.all(paths.map((path) => rm(path, { force: true })))),
  };
}
