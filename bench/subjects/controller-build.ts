import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Makes of the controller's sources what its image runs: types are taken away beforehand, or Node does it
 * and keeps 20 MB for that.
 * @returns path of its main module
 */
export async function buildController(directory: string): Promise<string> {
  const folder = join(directory, 'controller');
  const project = join(import.meta.dirname, 'controller.tsconfig.json');
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project, '--outDir', join(folder, 'dist')]);
  await cp(join(ROOT, 'schemas'), join(folder, 'dist/schemas'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'dist/bench/subjects/controller-main.js');
}
