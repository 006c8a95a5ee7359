import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const MOST_LINES = { file: 300, function: 60 };

const root = resolve(import.meta.dirname, '../..');
const FOLDERS = ['cmd', 'src', 'examples', 'scripts'];
const isWritten = (path: string) => !path.includes('/generated/');

describe('the code of the product', () => {
  it('has no file of more than 300 lines', () => {
    const files = globSync(`{${FOLDERS}}/**/*.{ts,js,mjs}`, { cwd: root }).filter(isWritten);
    const lines = (path: string) => readFileSync(join(root, path), 'utf8').split('\n').length - 1;
    expect(files.length).to.be.above(100);
    expect(files.filter((path) => lines(path) > MOST_LINES.file)).to.deep.equal([]);
  });

  it('has no function of more than 60 lines', () => {
    expect(longFunctions(MOST_LINES.function)).to.deep.equal([]);
    expect(longFunctions(20)).to.not.deep.equal([]);
  });
});

/** Functions whose bodies have more lines, by Biome's rule `noExcessiveLinesPerFunction`. */
function longFunctions(maxLines: number): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-biome-'));
  try {
    const rule = { noExcessiveLinesPerFunction: { level: 'info', options: { maxLines } } };
    writeFileSync(
      join(folder, 'biome.json'),
      JSON.stringify({ linter: { rules: { preset: 'none', complexity: rule } } }),
    );
    const parameters = ['lint', `--config-path=${folder}`, '--reporter=json', '--max-diagnostics=none', ...FOLDERS];
    const output = execFileSync(join(root, 'node_modules/.bin/biome'), parameters, {
      cwd: root,
      stdio: 'pipe',
      maxBuffer: 2 ** 26,
    });
    const { diagnostics } = JSON.parse(output.toString()) as { diagnostics: Diagnostic[] };
    return diagnostics
      .filter(({ category }) => category === 'lint/complexity/noExcessiveLinesPerFunction')
      .map(({ location: { path, start } }) => `${path}:${start.line}`)
      .filter(isWritten);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Diagnostic {
  category: string;
  location: { path: string; start: { line: number } };
}
