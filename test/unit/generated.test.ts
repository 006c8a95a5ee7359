import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

describe('generated files', () => {
  it('are what schemas/ says (npm run generate)', () => {
    execFileSync(process.execPath, ['scripts/generate.ts', '--check'], { cwd: resolve(import.meta.dirname, '../..') });
  });
});
