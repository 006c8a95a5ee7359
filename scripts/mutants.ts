/**
 * Breaks the product in many small places, one at a time, and counts how often a test notices.
 * `node scripts/mutants.ts [--count 300] [--seed 1] [--in 'cmd/gate/ …'] [--tests '<glob> …']`: the same seed draws the
 * same mutants from the same code, that of the folders named. For each come first the unit tests that import the file,
 * then those of its service; or those of `--tests` alone. Prints one line for each mutant. It takes hours.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../bench/statistics.ts';

/** A token of a file in the place of another. */
interface Mutant {
  file: string;
  offset: number;
  from: string;
  to: string;
}

const MUTATIONS: readonly (readonly [RegExp, (token: string) => string])[] = [
  [/ [!=]== /g, (token) => (token === ' === ' ? ' !== ' : ' === ')],
  [/ [<>]=? /g, (token) => (token.includes('=') ? token.replace('=', '') : `${token.trimEnd()}= `)],
  [/ (?:&&|\|\|) /g, (token) => (token === ' && ' ? ' || ' : ' && ')],
  [/\b(?:true|false)\b/g, (token) => String(token === 'false')],
  [/ [+-] (?=[\w(])/g, (token) => (token === ' + ' ? ' - ' : ' + ')],
  [/(?<![\w.$])\d[\d_]*(?![\w.])/g, (token) => String(Number(token.replaceAll('_', '')) + 1)],
  [/\bif \(/g, () => 'if (!'],
  [/(?<=\breturn )[^;\n]+(?=;\n)/g, () => 'undefined as never'],
  [/(?<=\n) +(?:await )?[\w.]+\([^\n]*\);(?=\n)/g, () => ''],
];
/** Comments, texts and regular expressions, in which no token is looked for. */
const NO_CODE =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[(,=:!&|?] ?)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/** Tests of a service as a whole, by the folder of the mutant. */
const WIDER: readonly (readonly [string, readonly string[]])[] = [
  ['cmd/controller/', ['test/unit/controller/**/*', 'test/e2e/controller/**/*', 'test/e2e/{watches,leader}']],
  ['cmd/gate/browser/', ['test/browser/**/*']],
  ['cmd/gate/', ['test/unit/gate/**/*', 'test/{contract,attack,e2e}/gate-*', 'test/e2e/{limit,stack,callbacks}']],
  [
    'cmd/docbuilder/',
    ['test/unit/docbuilder/**/*', 'test/{contract,attack}/!(gate-*)', 'test/engine/*', 'test/property/*'],
  ],
  ['', ['test/unit/{common,license,local}/**/*', 'test/contract/*', 'test/attack/{outbound*,jwt,json-*,bad-input}']],
];
const TEST_MS = 600_000;
/** No mutant is killed by a machine that is slow, nor holds up the others for long. */
const CASE_MS = '120000';
const LINKED = ['node_modules', '.tools', '.cache'];

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string', default: '' },
    tests: { type: 'string' },
  },
});
const root = resolve(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const name of readdirSync(root).filter((entry) => entry !== '.git')) {
  if (LINKED.includes(name)) symlinkSync(join(root, name), join(copy, name));
  else cpSync(join(root, name), join(copy, name), { recursive: true });
}

const product = ['cmd', 'src'].flatMap(sourcesIn);
const killers = values.tests === undefined ? WIDER : ([['', values.tests.split(' ')]] as const);
const importers = Map.groupBy(
  [...product, ...sourcesIn('test')].flatMap((file) => importsIn(file).map((target) => ({ file, target }))),
  ({ target }) => target,
);
const folders = values.in.split(' ');
const possible = product.filter((file) => folders.some((folder) => file.startsWith(folder))).flatMap(mutantsIn);
const random = seededRandom(Number(values.seed));
const drawn = Array.from({ length: Number(values.count) }, () => possible[Math.floor(random() * possible.length)]);
const failing = killers.map(([, tests]) => tests).find((tests) => fails(tests));
if (failing) throw new Error(`tests fail without a mutant: ${failing.join(' ')}`);
const killed = drawn.filter((mutant) => mutant && isKilled(mutant));
console.log(`${killed.length} of ${drawn.length} killed; ${possible.length} are possible`);

function isKilled({ file, offset, from, to }: Mutant): boolean {
  const source = readFileSync(join(root, file), 'utf8');
  writeFileSync(join(copy, file), source.slice(0, offset) + to + source.slice(offset + from.length));
  const [, wider = []] = killers.find(([folder]) => file.startsWith(folder)) ?? [];
  const isNoticed = (values.tests === undefined && fails(findUnitTests(file))) || fails(wider);
  writeFileSync(join(copy, file), source);
  const line = source.slice(0, offset).split('\n').length;
  console.log(`${isNoticed ? 'killed  ' : 'survived'} ${file}:${line} ${from.trim()} -> ${to.trim()}`);
  return isNoticed;
}

function fails(tests: readonly string[]): boolean {
  if (tests.length === 0) return false;
  const files = tests.map((name) => (name.endsWith('.test.ts') ? name : `${name}.test.ts`));
  const parameters = ['--bail', '--retries', '0', '--timeout', CASE_MS, '--reporter', 'dot', ...files];
  const mocha = join(copy, 'node_modules/.bin/mocha');
  return spawnSync(mocha, parameters, { cwd: copy, timeout: TEST_MS, stdio: 'ignore' }).status !== 0;
}

/** Returns the unit tests that import a file, also by way of others, the nearest first. */
function findUnitTests(file: string): string[] {
  const reached = new Set([file]);
  for (const one of reached) for (const importer of importers.get(one) ?? []) reached.add(importer.file);
  return [...reached].filter((name) => name.startsWith('test/unit/') && name.endsWith('.test.ts'));
}

function mutantsIn(file: string): Mutant[] {
  const source = readFileSync(join(root, file), 'utf8');
  const code = stripTypeScriptTypes(source).replace(NO_CODE, (found) => found.replace(/[^\n]/g, '_'));
  return MUTATIONS.flatMap(([pattern, mutate]) =>
    [...code.matchAll(pattern)].map(({ 0: { length }, index }) => {
      const from = source.slice(index, index + length);
      return { file, offset: index, from, to: mutate(from) };
    }),
  );
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.includes('generated'))
    .map((name) => join(folder, name));
}

function importsIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import|URL)\b\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) =>
    relative(root, resolve(root, dirname(file), target)),
  );
}
