import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { dump, loadAll } from 'js-yaml';

/** Compares values, as JSON, with those of a YAML file; `UPDATE_GOLDEN=1` writes the file. */
export function expectGolden(file: URL, values: readonly unknown[]): void {
  const found: unknown[] = JSON.parse(JSON.stringify(values));
  if (process.env['UPDATE_GOLDEN'] === '1') {
    writeFileSync(file, found.map((value) => `---\n${dump(value, { noRefs: true, lineWidth: 120 })}`).join(''));
  }
  const written = existsSync(file) ? loadAll(readFileSync(file, 'utf8')).filter((value) => value !== null) : [];
  expect(found, file.pathname).to.deep.equal(written);
}
