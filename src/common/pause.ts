import { setTimeout } from 'node:timers/promises';

/** Waits for work, for at most some milliseconds. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, pause(milliseconds, done.signal)]).finally(() => done.abort());
}

/** Resolves after some milliseconds, or when the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
