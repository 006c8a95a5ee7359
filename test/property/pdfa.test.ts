import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Script } from '../../src/common/generated/script.ts';
import { useStarted } from '../support/use-started.ts';
import { startBuilder } from './support/builder.ts';
import { SCRIPTS } from './support/scripts.ts';

const JARS = fileURLToPath(new URL('../../.cache/verapdf', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./pdfa/Validate.java', import.meta.url));
const NAMES = ['text-1', 'text-2', 'text-3', 'sheet-1', 'sheet-2', 'sheet-3', 'slides-1', 'slides-2', 'slides-3'];

const run = promisify(execFile);

/** Returns what veraPDF has against each file, else an empty text. One virtual machine does all: its start takes seconds. */
async function validate(flavour: string, paths: readonly string[]): Promise<Map<string, string>> {
  const args = ['-cp', join(JARS, '*'), PROGRAM, flavour, ...paths];
  const { stdout } = await run('java', args, { maxBuffer: 64 * 1024 * 1024 });
  const answers = stdout
    .split(/^(?=true |false )/m)
    .map((answer) => /^(true|false) (.*)\n([\s\S]*)$/.exec(answer) ?? []);
  return new Map(answers.map(([, passed, path = '', faults = '']) => [path, passed === 'true' ? '' : faults || 'no']));
}

const hasVeraPdf = existsSync(join(JARS, 'installed'));

/** As `validate`, for the main rules of ISO 19005-2, clause 6: metadata, output intent, embedded fonts, no encryption. */
async function examine(paths: readonly string[]): Promise<Map<string, string>> {
  const faults = async (path: string): Promise<string> => {
    const [info, meta, fonts] = await Promise.all([
      run('pdfinfo', [path]),
      run('pdfinfo', ['-meta', path]),
      run('pdffonts', [path]),
    ]);
    const apart = fonts.stdout
      .split('\n')
      .slice(2)
      .filter(
        (line) =>
          / (?:yes|no) +(?:yes|no) +(?:yes|no) +\d+ +\d+$/.test(line) &&
          !/ yes +(?:yes|no) +(?:yes|no) +\d+ +\d+$/.test(line),
      );
    const checks: [string, boolean][] = [
      ['6.6.4 identification', />2<\/pdfaid:part>[\s\S]*>B<\/pdfaid:conformance>/.test(meta.stdout)],
      ['6.2.3 output intent', readFileSync(path, 'latin1').includes('/GTS_PDFA1')],
      ['6.2.11 embedded fonts', apart.length === 0],
      ['6.1.3 encryption', /^Encrypted: +no$/m.test(info.stdout)],
      ['6.5 JavaScript', /^JavaScript: +no$/m.test(info.stdout)],
    ];
    return checks.flatMap(([rule, holds]) => (holds ? [] : [rule])).join('\n');
  };
  return new Map(await Promise.all(paths.map(async (path) => [path, await faults(path)] as const)));
}

describe('PDF/A-2b', function () {
  this.timeout(180_000);
  const builder = useStarted(startBuilder, ({ stop }) => stop());
  /** The file of each script, and of one that was not asked for as PDF/A, and what is said against it. */
  const paths = new Map<string, string>();
  let answers: Map<string, string>;

  before(async () => {
    const build = async (name: string, pdfa: boolean) => {
      const [file] = await builder.build(SCRIPTS.get(name) as Script, [{ format: 'pdf', pdfa }]);
      paths.set(pdfa ? name : 'plain', file?.path ?? '');
    };
    // One after another: the last of all would wait for the others longer than a test waits for a job.
    for (const name of NAMES) await build(name, true);
    await build('text-1', false);
    if (!hasVeraPdf) process.stderr.write('      without veraPDF (SVC_TEST_VERAPDF=1 scripts/setup.sh test)\n');
    answers = await (hasVeraPdf ? validate('2b', [...paths.values()]) : examine([...paths.values()]));
  });

  for (const name of NAMES) {
    it(`${name}: nothing speaks against it`, () => expect(answers.get(paths.get(name) ?? '')).to.equal(''));
  }

  it('a PDF that was not asked to be one is none', () => {
    expect(answers.get(paths.get('plain') ?? '')).to.match(/./);
  });
});
