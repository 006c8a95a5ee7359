import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { dump, load } from 'js-yaml';
import { findOffice } from '../../cmd/docbuilder/engine/office.ts';
import { type Builder, startBuilder } from './support/builder.ts';
import { missingReader, pdfText, type Reader, startReader } from './support/reader.ts';
import { FORMATS, SCRIPTS } from './support/scripts.ts';

const GOLDEN = new URL('./golden/', import.meta.url);
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
/** The LibreOffice that the golden files tell of: others name languages and break lines otherwise. */
const RELEASE = '7.4';

/** Returns what a reader tells: numbers with two digits, and without what is nothing, no, or empty. */
function told(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 100) / 100 + 0;
  if (Array.isArray(value)) return value.map(told);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, told(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isNothing(member)));
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === '';
}

describe('documents made of scripts, as python-docx, openpyxl, python-pptx and pdftotext read them', function () {
  this.timeout(120_000);
  let builder: Builder;
  let reader: Reader;

  before(async function () {
    const { release } = await findOffice();
    const other =
      release === RELEASE ? undefined : `the golden files are of LibreOffice ${RELEASE}, this is ${release}`;
    const reason = missingReader() ?? other;
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`);
      this.skip();
    }
    reader = startReader();
    builder = await startBuilder();
  });
  after(async () => {
    reader?.stop();
    await builder?.stop();
  });

  for (const [name, script] of SCRIPTS) {
    it(`${name} has what golden/${name}.yaml tells (UPDATE_GOLDEN=1 writes it)`, async () => {
      const found: Record<string, unknown> = {};
      const save = FORMATS[script.type].map((format) => ({ format }));
      for (const { format, path } of await builder.build(script, save)) {
        found[format] = format === 'pdf' ? (await pdfText(path)).split('\n') : told(await reader.read(path, format));
      }
      const file = new URL(`${name}.yaml`, GOLDEN);
      if (UPDATE) {
        mkdirSync(GOLDEN, { recursive: true });
        writeFileSync(file, dump(found, { flowLevel: 3, lineWidth: 200, noRefs: true }));
      }
      expect(existsSync(file), 'UPDATE_GOLDEN=1').to.equal(true);
      expect(found).to.deep.equal(load(readFileSync(file, 'utf8')));
    });
  }
});
