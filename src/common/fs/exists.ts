import { access } from 'node:fs/promises';

/** Returns whether there is anything at a path, as far as this process may see. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
