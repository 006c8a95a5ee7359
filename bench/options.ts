/**
 * The measurements and their numbers of rounds. Each number may be set through the environment variable that is named
 * beside it.
 */
export interface Options {
  /** BENCH_QUICK=1: a few minutes, for working on the code; figures are rough and docs/ is left alone. */
  quick: boolean;
  /** BENCH_ONLY: names of measurements, separated by commas. Empty: all. */
  only: readonly string[];
  /** BENCH_ROUNDS: rounds of the comparison; in each, every subject converts every small file once. */
  rounds: number;
  /** BENCH_REPORT_ROUNDS: the same for the 30-page report. */
  reportRounds: number;
  /** BENCH_THROUGHPUT_JOBS: jobs of one round of the throughput measurement. */
  throughputJobs: number;
  /** BENCH_THROUGHPUT_ROUNDS */
  throughputRounds: number;
  /** BENCH_RECYCLING_JOBS: jobs of each of the two runs, with and without recycling. */
  recyclingJobs: number;
  /** BENCH_RECYCLING_EVERY: jobs after which a worker is recycled. */
  recyclingEvery: number;
  /** BENCH_HANGING_JOBS: jobs of each of the two runs, with and without hanging ones. */
  hangingJobs: number;
  /** BENCH_LARGE_ROUNDS: rounds of each large script. */
  largeRounds: number;
  /** BENCH_INVOICE_ROUNDS */
  invoiceRounds: number;
  /** BENCH_THUMBNAIL_ROUNDS */
  thumbnailRounds: number;
  /** BENCH_SAVE_ROUNDS: saves of the gate. */
  saveRounds: number;
  /** BENCH_QUESTIONS: questions that the front asks the gate. */
  questions: number;
  /** BENCH_APPLIES: instances that the controller makes one after the other. */
  applies: number;
  /** BENCH_COLD_INSTANCES: instances that it finds at its start. */
  coldInstances: number;
  /** BENCH_STEADY_INSTANCES: instances while nothing changes. */
  steadyInstances: number;
  /** BENCH_STEADY_SECONDS */
  steadySeconds: number;
  /** BENCH_CALM_SECONDS: before its memory is looked at. */
  calmSeconds: number;
  /** BENCH_ALTERED_EVERY: of the fields that the controller sets, every n-th is altered. */
  alteredEvery: number;
  /** BENCH_OUTAGE_SECONDS: for which the API server is away. */
  outageSeconds: number;
  /** BENCH_SUCCESSIONS: leaders that are killed, and as many that are asked to go. */
  successions: number;
}

/** Options from the environment; everything has a default. @throws {RangeError} naming a variable that is no number */
export function readOptions(environment: NodeJS.ProcessEnv): Options {
  const quick = environment['BENCH_QUICK'] === '1';
  const count = (name: string, usual: number, quickly: number): number => {
    const value = Number(environment[name] ?? (quick ? quickly : usual));
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${name} is not a positive whole number`);
    return value;
  };
  return {
    quick,
    only: (environment['BENCH_ONLY'] ?? '').split(',').filter((name) => name !== ''),
    rounds: count('BENCH_ROUNDS', 40, 5),
    reportRounds: count('BENCH_REPORT_ROUNDS', 10, 2),
    throughputJobs: count('BENCH_THROUGHPUT_JOBS', 120, 30),
    throughputRounds: count('BENCH_THROUGHPUT_ROUNDS', 6, 2),
    recyclingJobs: count('BENCH_RECYCLING_JOBS', 2000, 160),
    recyclingEvery: count('BENCH_RECYCLING_EVERY', 50, 20),
    hangingJobs: count('BENCH_HANGING_JOBS', 600, 100),
    largeRounds: count('BENCH_LARGE_ROUNDS', 7, 2),
    invoiceRounds: count('BENCH_INVOICE_ROUNDS', 20, 4),
    thumbnailRounds: count('BENCH_THUMBNAIL_ROUNDS', 60, 10),
    saveRounds: count('BENCH_SAVE_ROUNDS', 60, 10),
    questions: count('BENCH_QUESTIONS', 80_000, 16_000),
    applies: count('BENCH_APPLIES', 40, 15),
    coldInstances: count('BENCH_COLD_INSTANCES', 500, 150),
    steadyInstances: count('BENCH_STEADY_INSTANCES', 200, 50),
    steadySeconds: count('BENCH_STEADY_SECONDS', 600, 60),
    calmSeconds: count('BENCH_CALM_SECONDS', 60, 15),
    alteredEvery: count('BENCH_ALTERED_EVERY', 1, 8),
    outageSeconds: count('BENCH_OUTAGE_SECONDS', 60, 25),
    successions: count('BENCH_SUCCESSIONS', 4, 1),
  };
}
