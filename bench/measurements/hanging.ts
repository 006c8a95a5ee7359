import { slowSheet } from '../../test/support/slow-sheet.ts';
import { alternate } from '../alternate.ts';
import { milliseconds, table, times } from '../format.ts';
import { closedLoop, failures, latencies, openLoop, type Run } from '../load.ts';
import type { Bench, Outcome } from '../measurement.ts';
import { type Job, mixedJobs } from '../mix.ts';
import { quantile } from '../statistics.ts';
import { convertCall, startService } from '../subjects/service.ts';
import { CLIENTS } from './throughput.ts';

const TIMEOUT_SECONDS = 3;
const EVERY = 100;
const LOAD = 0.5;
const BLOCKS = 4;
const CAPACITY_JOBS = 80;
const TIMEOUT_STATUS = 504;
const DEMANDED = 2;
const FIRST_SEED = 17;

interface Findings {
  hanging: Run;
  clean: Run;
  perSecond: number;
}

/** One job in a hundred hangs until the service ends it: what the others notice. */
export async function measureHanging({ directory, files, options }: Bench): Promise<Outcome> {
  const service = await startService(directory, {
    SVC_DOCBUILDER_WORKERS: '2',
    SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
  });
  try {
    await closedLoop(service, mixedJobs(files, CAPACITY_JOBS / 2, 0), CLIENTS);
    const capacity = await closedLoop(service, mixedJobs(files, CAPACITY_JOBS, 11), CLIENTS);
    const perSecond = (LOAD * CAPACITY_JOBS) / capacity.seconds;
    const jobs = mixedJobs(files, options.hangingJobs, 13);
    const hang: Job = { ...convertCall({ name: 'slow.fods', bytes: slowSheet(1000) }, 'pdf'), kind: 'hanging' };
    const withHanging = jobs.map((job, index) => (index % EVERY === EVERY / 2 ? hang : job));
    // The same arrivals with and without those that hang.
    const runs = await alternate(
      ['hanging', 'clean'],
      { jobs: jobs.length, blocks: BLOCKS },
      (name, start, end, block) => {
        const part = (name === 'hanging' ? withHanging : jobs).slice(start, end);
        return openLoop(service, part, perSecond, FIRST_SEED + block);
      },
    );
    return toOutcome({ ...runs, perSecond });
  } finally {
    await service.stop();
  }
}

function toOutcome({ hanging, clean, perSecond }: Findings): Outcome {
  const others = hanging.samples.filter(({ kind }) => kind !== 'hanging');
  const hung = hanging.samples.filter(({ kind }) => kind === 'hanging');
  const ended = hung.filter(({ status }) => status === TIMEOUT_STATUS).length;
  const failed = failures({ samples: others });
  const ratio = quantile(latencies(others), 0.95) / quantile(latencies(clean.samples), 0.95);
  const shown = (name: string, samples: Run['samples']): string[] => [
    name,
    String(failures({ samples })),
    ...[0.5, 0.95, 0.99].map((q) => milliseconds(quantile(latencies(samples), q))),
  ];
  return {
    rows: [
      {
        what: '1 % of jobs hang: other jobs that fail; p95 of the others against a clean run',
        measured: `${failed}; ${times(ratio)}`,
        demanded: `0; at most ${times(DEMANDED)}`,
        holds: failed === 0 && ratio <= DEMANDED && hung.length > 0 && ended === hung.length,
      },
    ],
    notes: `Open loop: ${clean.samples.length} mixed jobs arrive at random (Poisson), ${perSecond.toFixed(1)} a second, which is ${100 * LOAD} % of what the 2 workers managed in a closed
loop just before; the same arrivals with and without hanging jobs, in ${BLOCKS} blocks that alternate. Of every ${EVERY} jobs one is a sheet that
calculates for minutes and is ended after ${TIMEOUT_SECONDS} s (\`SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS=${TIMEOUT_SECONDS}\`); until then it keeps a worker and a core busy, which leaves
one worker for all others. ${ended} of ${hung.length} such jobs were answered with \`timeout\`.

${table(['run', 'failures', 'p50', 'p95', 'p99'], [shown('with hanging jobs, the others', others), shown('clean', clean.samples)])}`,
  };
}
