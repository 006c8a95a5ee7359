import { setImmediate } from 'node:timers/promises';

/** So long others wait at most while something is worked through piece by piece. */
const TURN_MS = 8;

/**
 * For long work in one go: call the result between two pieces, and others get their turn when it is due.
 * @param signal ends the work then; the call rejects with the signal's reason
 */
export function takingTurns(signal?: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  };
}
