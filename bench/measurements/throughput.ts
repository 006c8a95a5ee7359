import { milliseconds, table, times } from '../format.ts';
import { closedLoop, failures, latencies, type Run } from '../load.ts';
import type { Bench, Outcome } from '../measurement.ts';
import { mixedJobs } from '../mix.ts';
import { median, pairedRatio, sum } from '../statistics.ts';
import { startService } from '../subjects/service.ts';

export const CLIENTS = 4;
const WARM_UP = 40;
const DEMANDED = 1.7;

/** Jobs a second of two workers against one. */
export async function measureThroughput({ directory, files, options }: Bench): Promise<Outcome> {
  const one = await startService(directory, { SVC_DOCBUILDER_WORKERS: '1' });
  const two = await startService(directory, { SVC_DOCBUILDER_WORKERS: '2' });
  const runs: { one: Run[]; two: Run[] } = { one: [], two: [] };
  try {
    for (const service of [one, two]) await closedLoop(service, mixedJobs(files, WARM_UP, 0), CLIENTS);
    for (let round = 0; round < options.throughputRounds; round++) {
      const jobs = mixedJobs(files, options.throughputJobs, 1 + round);
      const order = round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const);
      for (const name of order) runs[name].push(await closedLoop(name === 'one' ? one : two, jobs, CLIENTS));
    }
  } finally {
    await Promise.all([one.stop(), two.stop()]);
  }
  const seconds = (of: readonly Run[]): number[] => of.map((run) => run.seconds);
  const ratio = pairedRatio(seconds(runs.one), seconds(runs.two));
  const failed = sum([...runs.one, ...runs.two].map(failures));
  const shown = (name: string, of: readonly Run[]): string[] => [
    name,
    (options.throughputJobs / median(seconds(of))).toFixed(1),
    ...(['small', 'report'] as const).map((kind) =>
      milliseconds(median(of.flatMap((run) => latencies(run.samples, kind)))),
    ),
  ];
  return {
    rows: [
      {
        what: 'throughput of 2 workers on 2 cores against 1',
        measured: `${times(ratio)}${failed > 0 ? `; ${failed} jobs failed` : ''}`,
        demanded: `at least ${times(DEMANDED)}`,
        holds: ratio >= DEMANDED && failed === 0,
      },
    ],
    notes: `${options.throughputRounds} rounds of ${options.throughputJobs} mixed jobs, the same for both, in a closed loop with ${CLIENTS} clients; service and
clients share the two cores with the workers. The ratio is the median of the rounds'.

${table(['workers', 'jobs a second', 'median of small files', 'median of reports'], [shown('1', runs.one), shown('2', runs.two)])}`,
  };
}
