/** The current time in epoch milliseconds. Passed in wherever a rule depends on time, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Milliseconds between two times, whichever is the later: a clock that is set back makes the past the future. */
export function apart(a: number, b: number): number {
  return Math.abs(a - b);
}

/** ISO 8601 UTC of epoch milliseconds (contract: times). */
export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** Vietnam is UTC+7 all year. The plan's day begins there (contract: What is counted), and so do the days of documents. */
export const VIETNAM_OFFSET_MS = 7 * 3_600_000;
