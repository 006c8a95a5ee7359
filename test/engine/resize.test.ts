import { expect } from 'chai';
import { slowSheet } from '../support/slow-sheet.ts';
import { until } from '../support/until.ts';
import { type Bench, createBench } from './support.ts';

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

  it('more are started beside the job that runs; of fewer, those that are too many end with their jobs', async () => {
    await idle(1);
    const first = long();
    bench.engine.resize(3);
    await until('three workers', () => workers().idle + workers().busy === 3);
    await first;
    await idle(3);
    const running = [long(), long(), long()];
    await until('all at work', () => workers().busy === 3);
    bench.engine.resize(1);
    expect(workers()).to.include({ total: 1, busy: 3 });
    expect((await Promise.all(running)).map(({ pages }) => pages)).to.deep.equal([1, 1, 1]);
    await idle(1);
    await until('one worker and a spare', () => bench.pids().length === 2);
    expect(bench.restarts()).to.equal(0);
  });
});
