import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DocbuilderLimits, DocbuilderStatus } from '../../src/common/generated/wire.ts';
import { licensed } from '../support/license.ts';
import { startService, type TestService, until } from '../support/service.ts';
import { slowSheet } from '../support/slow-sheet.ts';

const SHEET = slowSheet(1);
const CLIENTS = 4;

describe('another licence with another number of workers, under load', function () {
  this.timeout(60_000);
  let directory: string;
  let service: TestService;
  let count: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-rotation-'));
    count = join(directory, 'workers');
    await writeFile(count, '2');
    service = await startService({
      ...(await licensed(directory, { conns: 100 })),
      SVC_DOCBUILDER_WORKERS_FILE: count,
    });
  });
  after(async () => {
    await service.stop();
    await rm(directory, { recursive: true });
  });

  const status = async () => await service.read<DocbuilderStatus>('/v1/status');
  const limits = async () => (await service.read<DocbuilderLimits>('/v1/limits')).limits;
  const rotate = async (conns: number, workers: number) => {
    await licensed(directory, { conns });
    await writeFile(count, String(workers));
    await until(`${workers} workers`, async () => {
      const { total, idle, busy } = (await status()).workers;
      return total === workers && idle + busy === workers;
    });
    await until('its limits', async () => (await limits()).rate_per_minute === Math.ceil(conns / 50) * 60);
    expect(await limits()).to.include({ parallel_jobs: workers });
  };

  it('100 to 200 connections and back: no request fails, no worker is lost', async () => {
    const ended = new AbortController();
    const answers: number[] = [];
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!ended.signal.aborted) {
        const answer = await service.convert(SHEET, 'a.fods', { to: 'xlsx' });
        await answer.arrayBuffer();
        answers.push(answer.status);
      }
    });
    const working = (more: number) => {
      const before = answers.length;
      return until(`${more} more answers`, () => answers.length >= before + more);
    };
    await working(4);
    await rotate(200, 4);
    await working(8);
    await rotate(100, 2);
    await working(4);
    ended.abort();
    await Promise.all(clients);
    expect(answers.filter((code) => code !== 200)).to.deep.equal([]);
    expect((await status()).workers).to.include({ restarts: 0 });
  });

  it('what waits has its turn as soon as there are more', async () => {
    await writeFile(count, '1');
    await until('one worker', async () => (await status()).workers.total === 1);
    const slow = slowSheet(12);
    const jobs = await Promise.all([1, 2].map(() => service.convert(slow, 'a.fods', { to: 'xlsx', async: 'true' })));
    expect(jobs.map((answer) => answer.status)).to.deep.equal([202, 202]);
    await until('one runs', async () => (await status()).queue.running === 1);
    await writeFile(count, '2');
    await until('both run', async () => (await status()).queue.running === 2);
  });
});
