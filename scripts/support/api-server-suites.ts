/** Prints the test files that start an API server; those on a cluster use the cluster's. */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { reaches } from './imports.ts';

const root = resolve(import.meta.dirname, '../..');
const files = globSync('test/e2e/{*,controller/**/*}.test.ts', { cwd: root }).toSorted();
for (const file of files) if (reaches(file, 'test/support/api-server.ts')) console.log(file);
