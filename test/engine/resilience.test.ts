import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { slowSheet } from '../support/slow-sheet.ts';
import { until } from '../support/until.ts';
import { findFailure, fodt, paragraph, useBench } from './support.ts';

/** LibreOffice uses no more than so many clock ticks in so many polls where it has nothing to do. */
const [CALM_TICKS, CALM_POLLS] = [3, 12];
/** A document that is still calculated when any test has lost its patience. */
const endless = slowSheet();
const SMALL = fodt(paragraph('Xin chào'));

describe('engine: documents that hang, crash and eat', function () {
  this.timeout(60_000);
  const bench = useBench({ workers: 2, memoryMb: 700, stallSeconds: 4 });
  let restarts: number;
  beforeEach(async () => {
    await untilAtRest();
    restarts = bench.restarts();
  });
  const workers = () => bench.engine.status().workers;
  const convertSmall = () => bench.convert(SMALL, 'fodt', 'pdf');

  /** Waits for two idle workers and a spare, none of which is still starting: that takes all the CPU time it gets. */
  async function untilAtRest(): Promise<void> {
    let [calm, used] = [0, 0];
    const isCalm = () => {
      const pids = bench.pids();
      const now = pids.reduce((sum, pid) => sum + readTicks(pid), 0);
      if (pids.length === 3 && workers().idle === 2 && Math.abs(now - used) <= CALM_TICKS) calm++;
      else [calm, used] = [0, now];
      return calm === CALM_POLLS;
    };
    await until('workers at rest', isCalm, 30_000);
  }

  /** Waits for a LibreOffice that is at work, not one of those that just start: it uses CPU time for a while. */
  async function untilBusy(among = bench.pids()): Promise<number> {
    const start = new Map(among.map((pid) => [pid, readTicks(pid)]));
    const isBusy = (pid: number) => readTicks(pid) - (start.get(pid) ?? Infinity) >= 8;
    return until('LibreOffice at work', () => bench.pids().find(isBusy), 10_000);
  }

  /** Starts a job that will not end and waits until a worker is at it. */
  async function hang(signal: AbortSignal): Promise<{ work: Promise<unknown> }> {
    const work = bench.convert(endless, 'fods', 'xlsx', { signal });
    work.catch(() => undefined);
    await until('a busy worker', () => workers().busy === 1);
    await untilBusy();
    return { work };
  }

  it('an abort ends a document that hangs within a second, other work goes on, and the spare takes over', async () => {
    const controller = new AbortController();
    const { work } = await hang(controller.signal);
    await convertSmall();
    const reason = new Error('too long');
    const before = Date.now();
    controller.abort(reason);
    expect(await findFailure(work)).to.equal(reason);
    expect(Date.now() - before).to.be.below(1000);
    await Promise.all([convertSmall(), convertSmall()]);
    expect(Date.now() - before).to.be.below(2500);
    expect(bench.restarts()).to.equal(restarts + 1);
  });

  it('an abort ends a worker that is stopped', async () => {
    for (const pid of bench.pids()) process.kill(pid, 'SIGSTOP');
    const before = Date.now();
    const signal = AbortSignal.timeout(300);
    const error = await findFailure(bench.convert(SMALL, 'fodt', 'pdf', { signal }));
    expect(error).to.equal(signal.reason);
    expect(Date.now() - before).to.be.below(1300);
    for (const pid of bench.pids()) process.kill(pid, 'SIGCONT');
    await convertSmall();
  });

  it('a document that LibreOffice stands still over costs that worker, long before its time is up', async () => {
    const pids = bench.pids();
    const stuck = findFailure(bench.convert(endless, 'fods', 'xlsx'));
    process.kill(await untilBusy(pids), 'SIGSTOP');
    expect((await stuck).reason).to.equal('crashed');
    expect(bench.restarts()).to.equal(restarts + 1);
    await convertSmall();
  });

  it('a job whose worker crashes once is done by another; a second crash is the document’s own', async () => {
    const once = bench.convert(fodt(paragraph('Câu dài. '.repeat(40)).repeat(2_000)), 'fodt', 'pdf');
    process.kill(await untilBusy(), 'SIGKILL');
    expect((await once).pages).to.be.greaterThan(100);
    await until('it is replaced', () => bench.restarts() === restarts + 1);

    await untilAtRest();
    const ready = bench.pids();
    const twice = findFailure(bench.convert(endless, 'fods', 'xlsx'));
    for (let kills = 0; kills < 2; kills++) {
      process.kill(await untilBusy(ready), 'SIGKILL');
    }
    expect((await twice).reason).to.equal('crashed');
    await convertSmall();
  });
});

/** CPU time of a process in clock ticks. */
function readTicks(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0; // it has just ended
  }
}
