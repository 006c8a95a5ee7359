/** Returns epoch milliseconds. A parameter wherever a rule depends on time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Returns the milliseconds between two times in any order: a clock may be set back. */
export function apart(a: number, b: number): number {
  return Math.abs(a - b);
}

/** Returns ISO 8601 UTC of epoch milliseconds. */
export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** Vietnam is UTC+7 all year; the plan's day begins there (contract: What is counted), and the days of documents. */
export const VIETNAM_OFFSET_MS = 7 * 3_600_000;
