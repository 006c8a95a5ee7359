import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { newFolder } from '../support/own-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The real npm, except that a package with Node in it is not fetched: a script takes its place, with the checksum in `sha512`. */
const NPM = `#!/bin/sh
case "$1 $2" in 'install --prefix')
  for last; do :; done
  bin=$3/node_modules/\${last%@*}/bin
  mkdir -p "$bin" && printf '#!/bin/sh\\n[ "$1" = -e ] || echo the Node of .tools\\n' >"$bin/node" && chmod 755 "$bin/node"
  printf '{ "integrity": "sha512-%s" }' "$(cat sha512)" >"$3/node_modules/.package-lock.json"
  echo "$last" >asked
  exit ;;
esac
exec '${process.execPath}' '${npmProgram()}' --offline "$@"
`;

function npmProgram(): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      return realpathSync(join(folder, 'npm'));
    } catch {
      // Not here.
    }
  }
  throw new Error('there is no npm');
}

/** `scripts/setup.sh` in a project with one dependency, on a machine whose Node is too old. */
describe('scripts/setup.sh', function () {
  this.timeout(30_000);
  let folder: string;
  let env: NodeJS.ProcessEnv;
  /** Checksums of Node's packages in the script, by architecture. */
  let checksums: Record<string, string>;

  beforeEach(async () => {
    folder = await newFolder('setup');
    env = { HOME: folder, PATH: `${folder}/machine:/usr/bin:/bin` };
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const project = { name: 'x', version: '1.0.0', dependencies: { dependency: 'file:dependency' } };
    await Promise.all(['scripts', 'machine', 'dependency'].map((name) => mkdir(join(folder, name))));
    const text = await readFile(join(ROOT, 'scripts/setup.sh'), 'utf8');
    checksums = Object.fromEntries(Array.from(text.matchAll(/^node_sha512_(\w+)='(.+)'$/gm), ([, ...words]) => words));
    await writeFile(join(folder, 'sha512'), checksums[process.arch] ?? '');
    await program('scripts/setup.sh', text.replaceAll('/etc/os-release', `${folder}/os-release`));
    await program('machine/npm', NPM);
    await program('machine/node', '#!/bin/sh\n[ "$1" != --version ] || echo v12.0.0\necho too old\nexit 1\n');
    await writeJson('package.json', { ...project, scripts: { prepare: scripts.prepare, which: 'node' } });
    await writeJson('dependency/package.json', { name: 'dependency', version: '1.0.0' });
    const packages = {
      '': project,
      dependency: { version: '1.0.0' },
      'node_modules/dependency': { resolved: 'dependency', link: true },
    };
    await writeJson('package-lock.json', { ...project, lockfileVersion: 3, packages });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const writeJson = (name: string, value: unknown) => writeFile(join(folder, name), JSON.stringify(value));
  async function program(name: string, text: string): Promise<void> {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), 0o755);
  }
  const here = async (command: string, ...args: string[]) =>
    (await run(command, args, { cwd: folder, env })).stdout.trim();
  const setup = () => here('scripts/setup.sh', 'node');
  const scriptsNode = () => here('machine/npm', 'run', '--silent', 'which');

  it('gives scripts of npm the Node that it put into .tools, says how to use it else, and keeps it so', async () => {
    const said = await setup();
    expect(said).to.contain('this machine has v12.0.0');
    expect(said.split('\n').at(-1)).to.contain('export PATH="$PWD/.tools/bin:$PATH"');
    expect(await scriptsNode()).to.equal('the Node of .tools');
    expect(await setup()).to.equal('');

    await here('machine/npm', 'ci');
    expect(await scriptsNode(), 'npm ci').to.equal('the Node of .tools');
    await rm(join(folder, 'node_modules/.bin'), { recursive: true });
    await setup();
    expect(await scriptsNode(), 'modules of before').to.equal('the Node of .tools');
  });

  for (const [machine, arch] of [
    ['x86_64', 'x64'],
    ['aarch64', 'arm64'],
  ] as const) {
    it(`takes Node for ${machine} with the checksum that it knows, and no other`, async () => {
      await program('machine/uname', `#!/bin/sh\necho ${machine}\n`);
      await writeFile(join(folder, 'sha512'), checksums[arch === 'x64' ? 'arm64' : 'x64'] ?? '');
      const { stderr } = await setup().catch((error) => error);
      expect(stderr).to.match(
        /^\[setup\] the registry's package of Node [\d.]+ has another checksum than this script$/m,
      );
      await writeFile(join(folder, 'sha512'), checksums[arch] ?? '');
      await setup();
      expect(await readFile(join(folder, 'asked'), 'utf8')).to.match(new RegExp(`^node-linux-${arch}@`));
    });
  }
});
