import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { EngineFailure } from '../../cmd/docbuilder/engine/task.ts';
import { type Bench, createBench, endlessSheet, fodt, officePids, paragraph, until } from './support.ts';

/** LibreOffice uses no more than so many clock ticks in so many polls where it has nothing to do. */
const [CALM_TICKS, CALM_POLLS] = [3, 12];
const SMALL = fodt(paragraph('Xin chào'));

describe('engine: documents that hang, crash and eat', function () {
  this.timeout(60_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench({ workers: 2, memoryMb: 700 });
    await untilAtRest();
  });
  afterEach(() => bench.dispose());

  /** Waits for two idle workers and a spare, none of which is still starting: that takes all the CPU time it gets. */
  async function untilAtRest(): Promise<void> {
    let [calm, used] = [0, 0];
    await until(
      () => {
        const pids = officePids();
        const now = pids.reduce((sum, pid) => sum + cpu(pid), 0);
        const rests =
          pids.length === 3 && bench.engine.status().workers.idle === 2 && Math.abs(now - used) <= CALM_TICKS;
        if (rests) calm++;
        else [calm, used] = [0, now];
        return calm === CALM_POLLS;
      },
      'workers at rest',
      30_000,
    );
  }

  const failureOf = (work: Promise<unknown>): Promise<EngineFailure> =>
    work.then(
      () => expect.fail('it should have failed'),
      (error) => error,
    );

  /** Starts a job that will not end and waits until a worker is at it. */
  async function hang(signal: AbortSignal): Promise<{ work: Promise<unknown> }> {
    const work = bench.convert(endlessSheet(), 'fods', 'xlsx', { signal });
    work.catch(() => undefined);
    await until(() => bench.engine.status().workers.busy === 1, 'a busy worker');
    await untilBusy();
    return { work };
  }

  it('an abort ends a document that hangs within a second, other work goes on, and the spare takes over', async () => {
    const controller = new AbortController();
    const { work } = await hang(controller.signal);
    const other = bench.convert(SMALL, 'fodt', 'pdf');
    await other;
    const reason = new Error('too long');
    const before = Date.now();
    controller.abort(reason);
    expect(await failureOf(work)).to.equal(reason);
    expect(Date.now() - before).to.be.below(1000);
    const [first, second] = await Promise.all([
      bench.convert(SMALL, 'fodt', 'pdf'),
      bench.convert(SMALL, 'fodt', 'pdf'),
    ]);
    expect([first.pages, second.pages]).to.deep.equal([1, 1]);
    expect(Date.now() - before).to.be.below(2500);
    expect(bench.engine.status().workers.restarts).to.equal(1);
  });

  it('an abort ends a worker that is stopped', async () => {
    for (const pid of officePids()) process.kill(pid, 'SIGSTOP');
    const before = Date.now();
    const signal = AbortSignal.timeout(300);
    const error = await failureOf(bench.convert(SMALL, 'fodt', 'pdf', { signal }));
    expect(error).to.equal(signal.reason);
    expect(Date.now() - before).to.be.below(1300);
    for (const pid of officePids()) process.kill(pid, 'SIGCONT');
    await bench.convert(SMALL, 'fodt', 'pdf');
  });

  it('a document that LibreOffice stands still over costs that worker, long before its time is up', async () => {
    const pids = officePids();
    const stuck = failureOf(bench.convert(endlessSheet(), 'fods', 'xlsx'));
    process.kill(await untilBusy(pids), 'SIGSTOP');
    expect((await stuck).reason).to.equal('crashed');
    expect(bench.engine.status().workers.restarts).to.equal(1);
    await bench.convert(SMALL, 'fodt', 'pdf');
  });

  it('an abort while waiting for a worker takes none', async () => {
    const controller = new AbortController();
    await hang(controller.signal);
    const second = bench.convert(endlessSheet(), 'fods', 'xlsx', { signal: controller.signal });
    await until(() => bench.engine.status().workers.busy === 2, 'two busy workers');
    const error = await failureOf(bench.convert(SMALL, 'fodt', 'pdf', { signal: AbortSignal.timeout(200) }));
    expect(error.name).to.equal('TimeoutError');
    controller.abort();
    await failureOf(second);
    await until(() => bench.engine.status().workers.idle === 2, 'two idle workers', 30_000);
    await bench.convert(SMALL, 'fodt', 'pdf');
  });

  it('a worker that dies while it is idle is replaced at once, before anybody asks for it', async () => {
    const workers = () => bench.engine.status().workers;
    for (const killed of officePids()) {
      const { restarts } = workers();
      process.kill(killed, 'SIGKILL');
      await until(() => workers().restarts === restarts + 1, 'its end noticed', 1_500);
      await until(() => workers().idle === 2, 'a replacement');
      await Promise.all([bench.convert(SMALL, 'fodt', 'pdf'), bench.convert(SMALL, 'fodt', 'pdf')]);
      expect(workers().restarts, 'no task met a dead worker').to.equal(restarts + 1);
      await untilAtRest();
      expect(officePids()).not.to.include(killed);
    }
  });

  it('a job whose worker crashes once is done by another; a second crash is the document’s own', async () => {
    const once = bench.convert(fodt(paragraph('Câu dài. '.repeat(40)).repeat(2_000)), 'fodt', 'pdf');
    process.kill(await untilBusy(), 'SIGKILL');
    expect((await once).pages).to.be.greaterThan(100);
    expect(bench.engine.status().workers.restarts).to.equal(1);

    await untilAtRest();
    const ready = officePids();
    const twice = failureOf(bench.convert(endlessSheet(), 'fods', 'xlsx'));
    for (let kills = 0; kills < 2; kills++) {
      process.kill(await untilBusy(ready), 'SIGKILL');
    }
    expect((await twice).reason).to.equal('crashed');
    await bench.convert(SMALL, 'fodt', 'pdf');
  });
});

/** The process id of a LibreOffice that is at work, not one of those that just start: it uses CPU time for a while. */
async function untilBusy(among = officePids()): Promise<number> {
  const start = new Map(officePids().map((pid) => [pid, cpu(pid)]));
  let busy: number | undefined;
  await until(() => {
    busy = officePids().find((pid) => among.includes(pid) && start.has(pid) && cpu(pid) - (start.get(pid) ?? 0) >= 8);
    return busy !== undefined;
  }, 'LibreOffice at work');
  return busy as number;
}

/** CPU time of a process in clock ticks. */
function cpu(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0; // it has just ended
  }
}
