import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { findOffice } from '../../cmd/docbuilder/engine/office.ts';
import { findDescendants } from '../../scripts/support/processes.ts';
import { createLogger } from '../../src/common/log.ts';
import { useFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';
import { type Bench, createBench, findFailure, fodt, paragraph } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NESTING = `
import os
for _ in range(40):
    os.mkdir('d' * 200)
    os.chdir('d' * 200)`;
const SMALL = fodt(paragraph('Xin chào'));
const listSockets = () => readdirSync('/tmp').filter((name) => name.startsWith('OSL_PIPE_') && name.includes('svc_'));

describe('engine: life and end of workers', function () {
  this.timeout(30_000);
  const benches: Bench[] = [];
  afterEach(() => Promise.all(benches.splice(0).map((bench) => bench.dispose())));
  // It is removed once the engines in it have stopped.
  const folder = useFolder('test');

  async function start(settings: Parameters<typeof createBench>[0] = {}): Promise<Bench> {
    const bench = await createBench(settings);
    benches.push(bench);
    return bench;
  }

  it('a worker that holds on to too much memory is replaced after the job', async () => {
    const bench = await start({ memoryMb: 230 });
    await bench.convert(fodt(paragraph('x').repeat(60_000)), 'fodt', 'pdf');
    await until('a replaced worker', () => bench.restarts() === 1);
  });

  it('after stop no process, folder or socket is left, even when it comes while workers start', async () => {
    // Other suites of this process may have some of their own.
    const others = new Set(findDescendants(process.pid));
    for (const wait of [0, 150, 1500]) {
      const bench = await start({ workers: 2, sandbox: wait === 150 ? 'landlock' : 'auto' });
      const before = listSockets().length;
      const running = bench.convert(SMALL, 'fodt', 'pdf').catch((error) => error);
      await new Promise((resolve) => setTimeout(resolve, wait));
      await bench.engine.stop();
      await running;
      const left = findDescendants(process.pid).filter((pid) => !others.has(pid));
      expect(left, `after ${wait} ms`).to.deep.equal([]);
      expect(readdirSync(bench.workDir)).to.deep.equal([]);
      expect(listSockets().length).to.be.at.most(before);
    }
  });

  it('workers may have their folders behind a symbolic link, and do nothing once the engine has stopped', async () => {
    mkdirSync(folder.at('disk'));
    await symlink(folder.at('disk'), folder.at('link'));
    const bench = await start({ workDir: folder.at('link', 'work') });
    expect((await bench.convert(SMALL, 'fodt', 'pdf')).pages).to.equal(1);
    await bench.engine.stop();
    expect(await findFailure(bench.convert(SMALL, 'fodt', 'pdf'))).to.include({ reason: 'no_worker' });
  });

  for (const sandbox of ['namespaces', 'landlock'] as const) {
    it(`${sandbox}: kill -9 of the service ends its workers, and the next start removes their folders`, async () => {
      const workDir = folder.at('work');
      const service = `
        import { createEngine } from '${ROOT}/cmd/docbuilder/engine/engine.ts';
        import { silentLogger } from '${ROOT}/test/support/logs.ts';
        await createEngine({ workers: 1, maxJobs: 9, maxAgeMinutes: 9, memoryMb: 500, jobTimeoutSeconds: 9,
          workDir: '${workDir}', sandbox: '${sandbox}', log: silentLogger() });
        process.stdout.write('ready');`;
      await writeFile(folder.at('service.mts'), service);
      const child = spawn(process.execPath, [folder.at('service.mts')], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      const workers = findDescendants(child.pid as number);
      expect(workers).not.to.deep.equal([]);
      child.kill('SIGKILL');
      await until('the end of the workers', () => !workers.some((pid) => existsSync(`/proc/${pid}/exe`)), 3_000);

      const [dead] = readdirSync(workDir);
      mkdirSync(join(workDir, 'engine-999999999-1-00000000'));
      mkdirSync(join(workDir, 'somebody-elses'));
      const { engine } = await start({ workDir, sandbox });
      const folders = readdirSync(workDir);
      expect(folders).to.have.length(2);
      expect(folders).to.include('somebody-elses').and.not.include(dead);
      await engine.stop();
      expect(readdirSync(workDir)).to.deep.equal(['somebody-elses']);
    });
  }

  it('a folder that cannot be removed ends nothing: neither a job, nor a stop, nor the next start', async () => {
    // A document that has taken over its worker can nest folders deeper than a path may be long.
    const nest = (path: string) => execFileSync('python3', ['-c', NESTING], { cwd: path });
    const dead = folder.at('work', 'engine-999999999-1-00000000');
    mkdirSync(dead, { recursive: true });
    nest(dead);
    const logged: string[] = [];
    const destination = { write: (line: string) => void logged.push(line) };
    const log = createLogger({ service: 'test', level: 'warn', destination });
    const bench = await start({ workDir: folder.at('work'), log });
    try {
      // By the time that several are done a spare stands by as well.
      for (let count = 0; count < 5; count++) await bench.convert(SMALL, 'fodt', 'pdf');
      const [own = ''] = readdirSync(bench.workDir).filter((name) => name.startsWith(`engine-${process.pid}-`));
      const folders = readdirSync(join(bench.workDir, own)).filter((name) => /^w\d+-\d+$/.test(name));
      for (const worker of folders) nest(join(bench.workDir, own, worker));
      for (const pid of bench.pids()) process.kill(pid, 'SIGKILL');
      await until('they are replaced', () => bench.restarts() > 0 && bench.engine.status().workers.idle === 1);
      expect((await bench.convert(SMALL, 'fodt', 'pdf')).pages).to.equal(1);
      await bench.engine.stop();
      expect(logged.join(''))
        .to.match(/could not be removed/)
        .and.not.include('dddd');
    } finally {
      execFileSync('rm', ['-rf', bench.workDir]);
    }
  });

  it('LibreOffice is found without a folder for temporary files, which may be full', async () => {
    const { TMPDIR } = process.env;
    process.env['TMPDIR'] = '/nowhere';
    const office = await findOffice().finally(() => Object.assign(process.env, { TMPDIR: TMPDIR ?? '/tmp' }));
    expect(office.version).to.match(/^\d+\.\d+/);
  });

  it('a LibreOffice that is not there is told', async () => {
    const error = await createBench({ officeDir: '/nowhere' }).catch((reason) => reason);
    expect(error.message).to.match(/LibreOffice is not installed/);
  });
});
