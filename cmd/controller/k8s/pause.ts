import { setTimeout } from 'node:timers/promises';

/** Resolves after some milliseconds, or as soon as the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
