/** The numbers of the measurements: usually, and with BENCH_QUICK=1. */
const NUMBERS = {
  /** Rounds of the comparison; in each, every subject converts every small file once. */
  rounds: [40, 5],
  /** The same for the 30-page report. */
  reportRounds: [10, 2],
  /** Jobs of one round of the throughput measurement. */
  throughputJobs: [120, 30],
  throughputRounds: [6, 2],
  /** Jobs of each of the two runs, with and without recycling. */
  recyclingJobs: [2000, 160],
  /** Jobs after which a worker is recycled. */
  recyclingEvery: [50, 20],
  /** Jobs of each of the two runs, with and without hanging ones. */
  hangingJobs: [600, 100],
  /** Rounds of each large script. */
  largeRounds: [7, 2],
  invoiceRounds: [20, 4],
  thumbnailRounds: [60, 10],
  /** Saves of the gate. */
  saveRounds: [60, 10],
  /** Questions that the front asks the gate. */
  questions: [80_000, 16_000],
  /** Instances that the controller makes one after the other. */
  applies: [40, 15],
  /** Instances that it finds at its start. */
  coldInstances: [500, 150],
  /** Before its memory is measured. */
  calmSeconds: [60, 15],
  /** For which the API server is away. */
  outageSeconds: [60, 25],
} as const;

export interface Options extends Record<keyof typeof NUMBERS, number> {
  /** BENCH_QUICK=1: a few minutes, for working on the code; figures are rough and docs/ is left alone. */
  quick: boolean;
  /** BENCH_ONLY: names of measurements, separated by commas. Empty: all. */
  only: readonly string[];
}

export function readOptions(environment: NodeJS.ProcessEnv): Options {
  const quick = environment['BENCH_QUICK'] === '1';
  const numbers = Object.entries(NUMBERS).map(([name, [usual, quickly]]) => [name, quick ? quickly : usual]);
  return {
    ...(Object.fromEntries(numbers) as Record<keyof typeof NUMBERS, number>),
    quick,
    only: (environment['BENCH_ONLY'] ?? '').split(',').filter((name) => name !== ''),
  };
}
