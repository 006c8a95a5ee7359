import { resolve } from 'node:path';
import { expect } from 'chai';
import { skip } from '../../support/skip.ts';
import { CACHE } from './cluster.ts';
import { docker, engineMissing, run } from './engine.ts';
import { buildImages } from './images/build.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** The first run builds everything. */
const COLD_MS = 25 * 60_000;
/** Those whose outcome depends on LibreOffice, its fonts and the user that it runs as. */
const TESTS = [
  'test/engine/*.test.ts',
  'test/contract/{build,convert,documents,extract,render}.test.ts',
  'test/attack/{next-document,sandbox,sources}.test.ts',
];
/** Programs that the tests need and the image lacks. */
const PROGRAMS = 'poppler-utils procps';
/** As `docker build --help` has it, a Dockerfile without a context. */
const FROM_STDIN = '-';

describe('in the image of DocBuilder', function () {
  this.timeout(COLD_MS);
  this.retries(0);
  let image: string;

  before(async function () {
    const missing = engineMissing();
    if (missing !== undefined) skip(this, missing);
    const { docbuilder } = await buildImages(CACHE);
    image = `${docbuilder}-with-tools`;
    const install = `apt-get update -q && apt-get install -q -y --no-install-recommends ${PROGRAMS}`;
    const dockerfile = `FROM ${docbuilder}\nUSER 0\nRUN ${install}\nUSER 10001:10001\n`;
    await run('docker', ['build', '--quiet', '--tag', image, FROM_STDIN], dockerfile);
  });

  it('the tests of engine, documents and sandbox pass, with its LibreOffice and as its user', async () => {
    const project = ['--volume', `${ROOT}:/svc:ro`, '--workdir', '/svc'];
    const command = ['run', '--rm', '--privileged', ...project, '--entrypoint', 'node_modules/.bin/mocha', image];
    const stdout = await docker(...command, ...TESTS).catch((error) => error.stdout);
    expect(stdout.split('\n').at(-2), stdout).to.match(/^\d+ passed, 0 failed/);
  });
});
