import { readFileSync, writeFileSync } from 'node:fs';

/** Counts of the tests of one process. */
export interface Tally {
  passed: number;
  /** Tests that failed, each with its error. */
  failed: string[];
  skipped: number;
  /** Tests that passed only when they were run again, or not even then. */
  runAgain: number;
}

/** The file that a process writes its tally to instead of printing it, since others run beside it. */
const TALLY_FILE = 'SVC_TEST_TALLY';

/** Reports the tests of this process: to a file if it runs beside others, else to stdout. */
export function report(tally: Tally): void {
  const file = process.env[TALLY_FILE];
  if (file === undefined) process.stdout.write(`${tallyLine([tally])}\n`);
  else writeFileSync(file, JSON.stringify(tally));
}

/** The environment of a process that is to write its tally to `file`. */
export function reportingTo(file: string): NodeJS.ProcessEnv {
  return { ...process.env, [TALLY_FILE]: file };
}

/** The tally that a process wrote; undefined if it ended before it could. */
export function readTally(file: string): Tally | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The one line that tools and people read: `N passed, N failed`, and what else there is to say. */
export function tallyLine(tallies: readonly Tally[]): string {
  const sum = (count: (tally: Tally) => number) => tallies.reduce((total, tally) => total + count(tally), 0);
  const extra = { skipped: sum(({ skipped }) => skipped), 'run again': sum(({ runAgain }) => runAgain) };
  return [
    `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed.length)} failed`,
    ...Object.entries(extra).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : [])),
  ].join(', ');
}
