import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** An import of one file by another, with their paths in the repository; a package by its name. */
export interface Import {
  from: string;
  to: string;
  typeOnly?: boolean;
}

/** The imports that a file names. */
export function readImports(file: string): Import[] {
  const from = relative(root, file).split(sep).join('/');
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(^import type [^;']*)?(?:from|import)\s*\(?\s*'([^']+)'/gm)].map(
    ([, type, target = '']) => ({
      from,
      typeOnly: type !== undefined,
      to: target.startsWith('.')
        ? relative(root, resolve(dirname(file), target))
            .split(sep)
            .join('/')
        : target,
    }),
  );
}

/** Returns whether a file imports another, or a file that does; both are paths in the repository. */
export function reaches(from: string, target: string, seen: Set<string> = new Set()): boolean {
  if (from === target) return true;
  if (seen.has(from) || !from.endsWith('.ts')) return false;
  seen.add(from);
  return readImports(join(root, from)).some(({ to, typeOnly }) => !typeOnly && reaches(to, target, seen));
}
