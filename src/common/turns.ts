import { setImmediate } from 'node:timers/promises';

/** So long others wait at most while something is worked through piece by piece. */
const TURN_MS = 8;

/** Called between two pieces of work; what it returns is awaited. */
export type Turn = () => Promise<void> | undefined;

/**
 * For long work in one go: call the result between two pieces, and await what it returns: others then have their turn.
 * Nothing is returned while none is due, so that whoever has millions of pieces need not await.
 * @param signal ends the work; what is returned then rejects with the signal's reason
 */
export function takingTurns(signal?: AbortSignal): Turn {
  let since = performance.now();
  const turn = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  };
  return () => (performance.now() - since < TURN_MS ? undefined : turn());
}
