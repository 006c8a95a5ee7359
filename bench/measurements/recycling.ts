import { alternate } from '../alternate.ts';
import { mebibytes, milliseconds, percent, table, times } from '../format.ts';
import { closedLoop, failures, latencies, type Run } from '../load.ts';
import type { Bench, Outcome, Row } from '../measurement.ts';
import { type Job, mixedJobs } from '../mix.ts';
import { residentBytes } from '../process-usage.ts';
import { median, quantile } from '../statistics.ts';
import { type Service, startService } from '../subjects/service.ts';
import { calmTraces, leftOver, type Traces } from '../traces.ts';
import { CLIENTS } from './throughput.ts';

const NEVER = 100_000;
/** V8 sizes its heap during the first hundreds of jobs; the notes show the curve, so that nothing hides in this number. */
const WARM_UP = 600;
/** Jobs before anything is counted. */
const FIRST_JOBS = 40;
/** Jobs between two points of the curve. */
const CURVE_STEP = 200;
/** Jobs over which memory is looked at, after the warm-up and at the end. */
const WINDOW = 100;
const BLOCKS = 8;
const DEMANDED_P99 = 1.5;
const DEMANDED_GROWTH = 0.05;

interface Findings {
  jobs: number;
  every: number;
  recycling: Run;
  lasting: Run;
  restarts: { recycling: number; lasting: number };
  left: Traces;
  /** Bytes of the recycling service's process after the warm-up, at the end, and after each CURVE_STEP jobs. */
  memory: { warm: number; end: number; curve: number[] };
}

/** Many jobs with workers that are recycled often and with workers that never are: failures, remains, p99, memory. */
export async function measureRecycling({ directory, files, options }: Bench): Promise<Outcome> {
  const start = (maxJobs: number): Promise<Service> =>
    startService(directory, { SVC_DOCBUILDER_WORKERS: '2', SVC_DOCBUILDER_WORKER_MAX_JOBS: String(maxJobs) });
  const [recycling, lasting] = [await start(options.recyclingEvery), await start(NEVER)];
  try {
    const jobs = mixedJobs(files, options.recyclingJobs, 7);
    // The service starts its threads with the first jobs, and keeps them.
    await closedLoop(recycling, jobs.slice(0, FIRST_JOBS), CLIENTS);
    const before = await calmTraces(recycling);
    const resident: number[] = [];
    const sample = (): unknown => resident.push(residentBytes(recycling.pid));
    const runs = await alternate(
      ['recycling', 'lasting'],
      { jobs: jobs.length, blocks: BLOCKS },
      (name, start, end) => {
        const part = jobs.slice(start, end);
        return name === 'recycling' ? closedLoop(recycling, part, CLIENTS, sample) : closedLoop(lasting, part, CLIENTS);
      },
    );
    const after = await tracesLike(before, recycling, jobs);
    const restarts = async (service: Service): Promise<number> => (await service.status()).workers.restarts;
    return toOutcome({
      ...runs,
      jobs: jobs.length,
      every: options.recyclingEvery,
      restarts: { recycling: await restarts(recycling), lasting: await restarts(lasting) },
      left: leftOver(before, after),
      memory: compareMemory(resident),
    });
  } finally {
    await Promise.all([recycling.stop(), lasting.stop()]);
  }
}

/** Two spares stand by while two workers are both soon due; some jobs later there is one again, as there was before. */
async function tracesLike(before: Traces, service: Service, jobs: readonly Job[]): Promise<Traces> {
  for (let more = 0; ; more++) {
    const now = await calmTraces(service);
    if (now.folders === before.folders || more === 3) return now;
    await closedLoop(service, jobs.slice(0, 10), 1);
  }
}

function compareMemory(resident: readonly number[]): Findings['memory'] {
  const warmUp = Math.min(WARM_UP, 0.3 * resident.length);
  return {
    warm: median(resident.slice(warmUp, warmUp + WINDOW)),
    end: median(resident.slice(-WINDOW)),
    curve: resident.filter((_, index) => (index + 1) % CURVE_STEP === 0),
  };
}

function toOutcome({ jobs, every, recycling, lasting, restarts, left, memory }: Findings): Outcome {
  const p99 = (run: Run, kind?: Job['kind']): number => quantile(latencies(run.samples, kind), 0.99);
  const ratio = p99(recycling) / p99(lasting);
  const smallRatio = p99(recycling, 'small') / p99(lasting, 'small');
  const failed = failures(recycling);
  const remains = left.processes + left.folders + left.descriptors;
  const growth = memory.end / memory.warm - 1;
  const rows: Row[] = [
    {
      what: `${jobs} mixed jobs, recycling every ${every}: failures; processes, folders, descriptors left over`,
      measured: `${failed}; ${left.processes}, ${left.folders}, ${left.descriptors}`,
      demanded: '0; 0',
      holds: failed === 0 && remains === 0,
    },
    {
      what: 'the same run: p99 against the p99 of a run that never recycles',
      measured: `${times(ratio)}; of small files alone ${times(smallRatio)}`,
      demanded: `at most ${times(DEMANDED_P99)}`,
      holds: Math.max(ratio, smallRatio) <= DEMANDED_P99,
    },
    {
      what: 'memory of the service process over that run after warm-up',
      measured: `${growth < 0 ? '' : '+'}${percent(growth)} (${mebibytes(memory.warm)} to ${mebibytes(memory.end)})`,
      demanded: `under +${percent(DEMANDED_GROWTH)}`,
      holds: growth < DEMANDED_GROWTH,
    },
  ];
  const shown = (name: string, run: Run, replaced: number): string[] => [
    name,
    ...[failures(run), replaced].map(String),
    (run.samples.length / run.seconds).toFixed(1),
    ...(['small', 'report'] as const).flatMap((kind) =>
      [0.5, 0.99].map((q) => milliseconds(quantile(latencies(run.samples, kind), q))),
    ),
  ];
  const head = [
    'workers',
    'failures',
    'replaced',
    'jobs a second',
    'small p50',
    'small p99',
    'report p50',
    'report p99',
  ];
  const notes = `Two services of 2 workers get the same ${jobs} mixed jobs in a closed loop with ${CLIENTS} clients, so that there is always a job waiting, in
${BLOCKS} blocks that alternate (ABBA). Left over is what there is more of after the run than before it, when ${FIRST_JOBS} jobs
had been done: processes below the service or in its sandboxes (zombies too), entries of its worker and temporary folders, descriptors of its process. Memory is the resident set of the service
process, looked at after every job: the median of ${WINDOW} jobs after the first ${WARM_UP} against that of the last ${WINDOW}. After each ${CURVE_STEP} jobs it was
${memory.curve.map(mebibytes).join(', ')}.

${table(head, [shown(`recycled every ${every}`, recycling, restarts.recycling), shown('never recycled', lasting, restarts.lasting)])}`;
  return { rows, notes };
}
