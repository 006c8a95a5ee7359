import { setImmediate } from 'node:timers/promises';

/** Does `work`, and tells the longest time in milliseconds that nothing else had its turn meanwhile. */
export async function longestWait<T>(work: () => Promise<T>): Promise<{ outcome: T; longest: number }> {
  let longest = 0;
  let isDone = false;
  const others = async (): Promise<void> => {
    for (let last = performance.now(); !isDone; last = performance.now()) {
      await setImmediate();
      longest = Math.max(longest, performance.now() - last);
    }
  };
  const watching = others();
  const outcome = await work().finally(() => {
    isDone = true;
  });
  await watching;
  return { outcome, longest };
}
