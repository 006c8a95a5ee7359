import { setTimeout as delay } from 'node:timers/promises';

const STEP_MS = 100;

export const seconds = (count: number): Promise<void> => delay(count * 1000);

/**
 * Asks again and again until `probe` gives something.
 * @param limit in seconds
 * @returns undefined when it gave nothing until then
 */
export async function waitFor<Value>(
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
  limit: number,
): Promise<Value | undefined> {
  for (const deadline = Date.now() + limit * 1000; ; await delay(STEP_MS)) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) return undefined;
  }
}

/** The same, for what has to come. @throws {Error} that names it when it does not */
export async function need<Value>(
  name: string,
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
  limit = 30,
): Promise<Value> {
  const value = await waitFor(probe, limit);
  if (value === undefined) throw new Error(`${name} did not come within ${limit} s`);
  return value;
}
