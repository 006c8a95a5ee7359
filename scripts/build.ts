/**
 * Builds what images run: JavaScript of every service, and the files that it reads beside itself at run time.
 * `node scripts/build.ts [folder]`; the folder, `dist` by default, is emptied first.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle } from '../cmd/gate/http/api-js.ts';

const ASSETS = ['schemas/**/*.json', 'cmd/*/engine/*.{py,conf}', 'cmd/gate/browser/api.d.ts'];

const root = resolve(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? join(root, 'dist'));

rmSync(folder, { recursive: true, force: true });
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'tsconfig.build.json'), '--outDir', folder], {
  stdio: 'inherit',
});
for (const path of globSync(ASSETS, { cwd: root })) cpSync(join(root, path), join(folder, path));

for (const name of ['main', 'demo']) {
  writeFileSync(join(folder, `cmd/gate/browser/${name}.bundle.js`), await bundle(name));
}
