import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createEngine } from '../../cmd/docbuilder/engine/engine.ts';
import { silentLogger } from '../support/logs.ts';
import {
  type Bench,
  createBench,
  descendants,
  fodt,
  officePids,
  paragraph,
  processesNaming,
  until,
} from './support.ts';

const SMALL = fodt(paragraph('Xin chào'));
const restarts = (bench: Bench) => bench.engine.status().workers.restarts;
const sockets = () => readdirSync('/tmp').filter((name) => name.startsWith('OSL_PIPE_') && name.includes('svc_'));

describe('engine: life and end of workers', function () {
  this.timeout(30_000);

  it('a worker is replaced after its jobs, and not before', async () => {
    const bench = await createBench({ maxJobs: 2 });
    try {
      for (const expected of [0, 1, 1, 2]) {
        await bench.convert(SMALL, 'fodt', 'pdf');
        await until(() => bench.engine.status().workers.busy === 0, 'the worker back');
        expect(restarts(bench)).to.equal(expected);
      }
    } finally {
      await bench.dispose();
    }
  });

  it('a worker is replaced at its age, also when nobody uses it', async () => {
    let now = Date.now();
    const bench = await createBench({ maxAgeMinutes: 1, clock: () => now });
    try {
      await until(() => bench.engine.status().workers.idle === 1 && officePids().length === 2, 'a worker and a spare');
      const [first] = officePids();
      now += 59_000;
      await bench.convert(SMALL, 'fodt', 'pdf');
      expect(restarts(bench)).to.equal(0);
      now += 2_000;
      await until(() => !officePids().includes(first as number), 'an idle worker replaced');
      expect(restarts(bench)).to.be.at.least(1);
    } finally {
      await bench.dispose();
    }
  });

  it('a worker that holds on to too much memory is replaced after the job', async () => {
    const bench = await createBench({ memoryMb: 240 });
    try {
      await bench.convert(SMALL, 'fodt', 'pdf');
      await until(() => restarts(bench) === 1, 'a replaced worker');
    } finally {
      await bench.dispose();
    }
  });

  it('after stop no process, folder or socket is left, even when it comes while workers start', async () => {
    // Other suites of this process may have some of their own.
    const others = new Set(descendants(process.pid));
    for (const wait of [0, 150, 1500]) {
      const bench = await createBench({ workers: 2, sandbox: wait === 150 ? 'landlock' : 'auto' });
      const before = sockets().length;
      const running = bench.convert(SMALL, 'fodt', 'pdf').catch((error) => error);
      await new Promise((resolve) => setTimeout(resolve, wait));
      await bench.engine.stop();
      await running;
      const left = descendants(process.pid).filter((pid) => !others.has(pid));
      expect(left, `after ${wait} ms`).to.deep.equal([]);
      expect(readdirSync(bench.workDir)).to.deep.equal([]);
      expect(sockets().length).to.be.at.most(before);
      await bench.dispose();
    }
  });

  it('workers may have their folders behind a symbolic link', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-link-'));
    mkdirSync(join(folder, 'disk'));
    await symlink(join(folder, 'disk'), join(folder, 'link'));
    const bench = await createBench({ workDir: join(folder, 'link', 'work') });
    try {
      expect((await bench.convert(SMALL, 'fodt', 'pdf')).pages).to.equal(1);
    } finally {
      await bench.dispose();
      await rm(folder, { recursive: true });
    }
  });

  it('after stop a task is refused', async () => {
    const bench = await createBench();
    await bench.engine.stop();
    const error = await bench.convert(SMALL, 'fodt', 'pdf').catch((reason) => reason);
    expect(error.reason).to.equal('no_worker');
    await bench.dispose();
  });

  for (const sandbox of ['namespaces', 'landlock'] as const) {
    it(`${sandbox}: kill -9 of the service ends its workers, and the next start removes their folders`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-test-killed-'));
      const workDir = join(folder, 'work');
      const script = join(folder, 'service.mts');
      const root = join(import.meta.dirname, '../..');
      await writeFile(
        script,
        `import { createEngine } from '${root}/cmd/docbuilder/engine/engine.ts';
         import { silentLogger } from '${root}/test/support/logs.ts';
         await createEngine({ workers: 2, maxJobs: 9, maxAgeMinutes: 9, memoryMb: 500, jobTimeoutSeconds: 9,
           workDir: '${workDir}', sandbox: '${sandbox}', log: silentLogger() });
         process.stdout.write('ready');`,
      );
      try {
        const service = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
        await new Promise((resolve) => service.stdout.once('data', resolve));
        const workers = descendants(service.pid as number);
        expect(workers).not.to.deep.equal([]);
        service.kill('SIGKILL');
        const alive = () =>
          workers.filter((pid) => existsSync(`/proc/${pid}/exe`) && processesNaming('').includes(pid));
        await until(() => alive().length === 0, 'the end of the workers', 3_000);

        const [dead] = readdirSync(workDir);
        const living = `engine-${process.pid}-0-00000000`;
        mkdirSync(join(workDir, `engine-999999999-1-00000000`));
        mkdirSync(join(workDir, 'somebody-elses'));
        const engine = await createEngine({
          ...{ workers: 1, maxJobs: 9, maxAgeMinutes: 9, memoryMb: 500, jobTimeoutSeconds: 9, workDir, sandbox },
          log: silentLogger(),
        });
        const second = await createEngine({
          ...{ workers: 1, maxJobs: 9, maxAgeMinutes: 9, memoryMb: 500, jobTimeoutSeconds: 9, workDir, sandbox },
          log: silentLogger(),
        });
        expect(readdirSync(workDir)).to.include('somebody-elses').and.not.include(dead).and.not.include(living);
        expect(readdirSync(workDir)).to.have.length(3);
        await engine.stop();
        await second.stop();
        expect(readdirSync(workDir)).to.deep.equal(['somebody-elses']);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  it('a kind of sandbox that does not hold is not taken', async () => {
    const error = await createBench({ officeDir: '/nowhere' }).catch((reason) => reason);
    expect(error.message).to.match(/LibreOffice is not installed/);
  });
});
