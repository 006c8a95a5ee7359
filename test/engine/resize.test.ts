import { expect } from 'chai';
import { slowSheet } from '../support/slow-sheet.ts';
import { until } from '../support/until.ts';
import { type Bench, createBench, fodt, paragraph } from './support.ts';

const SMALL = fodt(paragraph('Xin chào'));
/** Seconds of work. */
const LONG = slowSheet(2);

describe('engine: another number of workers', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench.dispose());

  const workers = () => bench.engine.status().workers;
  const idle = (count: number) =>
    until(`${count} workers that are idle`, () => workers().idle === count && workers().busy === 0);
  const long = () => bench.convert(LONG, 'fods', 'xlsx', { signal: AbortSignal.timeout(50_000) });

  it('more are started beside the job that runs', async () => {
    await idle(1);
    const running = long();
    bench.engine.resize(3);
    expect(workers().total).to.equal(3);
    await until('three workers', () => workers().idle + workers().busy === 3);
    await running;
    await idle(3);
    expect(bench.restarts()).to.equal(0);
  });

  it('fewer: the jobs that run end as any other, and those that are too many with them', async () => {
    const running = [long(), long(), long()];
    await until('all at work', () => workers().busy === 3);
    bench.engine.resize(1);
    expect(workers()).to.include({ total: 1, busy: 3 });
    expect((await Promise.all(running)).map(({ pages }) => pages)).to.deep.equal([1, 1, 1]);
    await idle(1);
    await until('one worker and a spare', () => bench.pids().length === 2);
    expect(bench.restarts()).to.equal(0);
  });

  it('idle ones that are too many end at once, and all goes on', async () => {
    bench.engine.resize(4);
    await idle(4);
    bench.engine.resize(2);
    await idle(2);
    await until('two workers and a spare', () => bench.pids().length === 3);
    const made = await Promise.all([1, 2, 3, 4].map(() => bench.convert(SMALL, 'fodt', 'pdf')));
    expect(made).to.have.length(4);
    await idle(2);
  });

  it('as often as one likes, while there is work', async () => {
    const sizes = [3, 1, 4, 2, 1, 3];
    const made: Promise<unknown>[] = [];
    for (const size of sizes) {
      bench.engine.resize(size);
      made.push(...[1, 2, 3].map(() => bench.convert(SMALL, 'fodt', 'pdf')));
      await made[made.length - 1];
    }
    await Promise.all(made);
    await idle(3);
    expect(workers().total).to.equal(3);
  });
});
