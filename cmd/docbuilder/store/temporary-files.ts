import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The temporary files of one request and the job that it becomes. */
export interface TemporaryFiles {
  /** A path that no file has yet. */
  newPath(): string;
  /** Removes all files that were created at these paths. */
  remove(): Promise<void>;
}

export function createTemporaryFiles(directory: string): TemporaryFiles {
  const paths: string[] = [];
  return {
    newPath() {
      const path = join(directory, randomBytes(12).toString('hex'));
      paths.push(path);
      return path;
    },
    remove: async () => {
      await Promise.all(paths.map((path) => rm(path, { force: true })));
    },
  };
}
