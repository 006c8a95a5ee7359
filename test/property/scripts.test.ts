import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
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
/** The LibreOffice that the golden files tell of: others break lines elsewhere, and `common` says what else may differ. */
const RELEASE = '7.4';

/**
 * Returns what a reader tells: numbers with two digits, without what is nothing, no, or empty; runs that differ in
 * nothing are one.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return Math.round(value * 100) / 100 + 0;
  if (Array.isArray(value)) return joined(value.map(plain));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, plain(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isNothing(member)));
}

function joined(parts: unknown[]): unknown[] {
  const apart: unknown[] = [];
  for (const part of parts) {
    const [last, next] = [apart.at(-1), part] as { text?: unknown }[];
    const isSame = typeof next?.text === 'string' && isDeepStrictEqual({ ...last, text: '' }, { ...next, text: '' });
    if (isSame) apart.splice(-1, 1, { ...next, text: `${last?.text}${next?.text}` });
    else apart.push(part);
  }
  return apart;
}

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === '';
}

/** Reads documents, one after another, with what others read them with. */
function startReader() {
  const child = spawn(PYTHON, ['-uB', READER], { stdio: ['pipe', 'pipe', 'inherit'] });
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

/**
 * What every LibreOffice tells of a document. Of a PDF: the letters on each page in whatever order, without hyphens and
 * emoji (not every machine has a font with them); booleans are in English, also in Chinese; 7.4 draws ### in hidden
 * columns. It also loses tabs in an ods, and has its own name for a language.
 */
function common(facts: Record<string, unknown>): unknown {
  const { pdf, ...others } = facts as { pdf: string[] };
  const pages = pdf.join('\n').replaceAll('真', 'TRUE').replaceAll('假', 'FALSE').split('\f');
  const letters = pages.map((page) =>
    [...page.replace(/\s|[-#\p{Cf}\p{Extended_Pictographic}]/gu, '')].sort().join(''),
  );
  const plainly = (_: string, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\t', '').replaceAll('zh-Hant-TW', 'zh-TW') : value;
  return JSON.parse(JSON.stringify({ ...others, letters }), plainly);
}

describe('documents made of scripts, as python-docx, openpyxl, python-pptx and pdftotext read them', function () {
  this.timeout(120_000);
  let told: (facts: Record<string, unknown>) => unknown = common;
  const reader = useStarted(
    async (context) => {
      if (!existsSync(PYTHON)) skip(context, 'python-docx and its like are not there (scripts/setup.sh test)');
      if ((await findOffice()).release === RELEASE) told = (facts) => facts;
      return startReader();
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
      expect(told(found)).to.deep.equal(told(load(readFileSync(file, 'utf8')) as typeof found));
    });
  }
});
