/** The counts of the measurements: those of the pages in docs/, and those of a quick run. */
const COUNTS = {
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
  /** Instances while nothing changes. */
  steadyInstances: [200, 50],
  steadySeconds: [600, 60],
  /** Seconds before its memory is looked at. */
  calmSeconds: [60, 15],
  /** Of the fields that the controller sets, every n-th is altered. */
  alteredEvery: [1, 8],
  /** Seconds for which the API server is away. */
  outageSeconds: [60, 25],
  /** Leaders that are killed, and as many that are asked to go. */
  successions: [4, 1],
} as const;

export interface Options extends Readonly<Record<keyof typeof COUNTS, number>> {
  /** BENCH_QUICK=1: a few minutes, for working on the code; figures are rough and docs/ is left alone. */
  quick: boolean;
  /** BENCH_ONLY: names of measurements, separated by commas. Empty: all. */
  only: readonly string[];
}

/** Options from the environment; everything has a default. */
export function readOptions(environment: NodeJS.ProcessEnv): Options {
  const quick = environment['BENCH_QUICK'] === '1';
  const counts = Object.entries(COUNTS).map(([name, [usual, quickly]]) => [name, quick ? quickly : usual]);
  return {
    quick,
    only: (environment['BENCH_ONLY'] ?? '').split(',').filter((name) => name !== ''),
    ...(Object.fromEntries(counts) as Record<keyof typeof COUNTS, number>),
  };
}
