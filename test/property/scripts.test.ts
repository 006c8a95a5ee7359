import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { dump, load } from 'js-yaml';
import { findOffice } from '../../cmd/docbuilder/engine/office.ts';
import { skip } from '../support/skip.ts';
import { useStarted } from '../support/use-started.ts';
import { startBuilder } from './support/builder.ts';
import { FORMATS, SCRIPTS } from './support/scripts.ts';

const PYTHON = fileURLToPath(new URL('../../.cache/readers-venv/bin/python', import.meta.url));
const READER = fileURLToPath(new URL('./read/reader.py', import.meta.url));
const GOLDEN = new URL('./golden/', import.meta.url);
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
/** The LibreOffice that the golden files tell of: others name languages and break lines otherwise. */
const RELEASE = '7.4';

/** Returns what a reader tells: numbers with two digits, and without what is nothing, no, or empty. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 100) / 100 + 0;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, plain(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isNothing(member)));
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === '';
}

/** Reads documents, one after another, with what others read them with. */
function startReader() {
  const child = spawn(PYTHON, ['-u', READER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async read(path: string, format: string): Promise<unknown> {
      child.stdin.write(`${JSON.stringify({ path, format })}\n`);
      const { value, done } = await answers.next();
      const { facts, error } = done ? { error: 'the reader ended' } : JSON.parse(value);
      if (error !== undefined) throw new Error(error);
      return facts;
    },
    stop: () => void child.stdin.end(),
  };
}

const run = promisify(execFile);

/**
 * The text of a PDF twice: in the order in which it was drawn, and as it stands on its pages. Where a font lacks
 * letters, those of other fonts are drawn later; and next to a column, lines of others stand.
 */
async function pdfText(path: string): Promise<string> {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const texts = [['-raw'], []].map((order) => run('pdftotext', [...order, '-enc', 'UTF-8', path, '-'], options));
  return (await Promise.all(texts)).map(({ stdout }) => stdout).join('\f');
}

describe('documents made of scripts, as python-docx, openpyxl, python-pptx and pdftotext read them', function () {
  this.timeout(120_000);
  const reader = useStarted(
    async (context) => {
      if (!existsSync(PYTHON)) skip(context, 'python-docx and its like are not there (scripts/setup.sh test)');
      const { release } = await findOffice();
      if (release === RELEASE) return startReader();
      return skip(context, `the golden files are of LibreOffice ${RELEASE}, this is ${release}`);
    },
    ({ stop }) => stop(),
  );
  const builder = useStarted(startBuilder, ({ stop }) => stop());

  for (const [name, script] of SCRIPTS) {
    it(`${name} has what golden/${name}.yaml tells (UPDATE_GOLDEN=1 writes it)`, async () => {
      const found: Record<string, unknown> = {};
      const save = FORMATS[script.type].map((format) => ({ format }));
      for (const { format, path } of await builder.build(script, save)) {
        found[format] = format === 'pdf' ? (await pdfText(path)).split('\n') : plain(await reader.read(path, format));
      }
      const file = new URL(`${name}.yaml`, GOLDEN);
      if (UPDATE) writeFileSync(file, dump(found, { flowLevel: 3, lineWidth: 200, noRefs: true }));
      expect(existsSync(file), 'UPDATE_GOLDEN=1').to.equal(true);
      expect(found).to.deep.equal(load(readFileSync(file, 'utf8')));
    });
  }
});
