/** The current time in epoch milliseconds. Passed in wherever a rule depends on time, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** ISO 8601 UTC of epoch milliseconds (contract: times). */
export function iso(time: number): string {
  return new Date(time).toISOString();
}
