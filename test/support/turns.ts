import { setImmediate } from 'node:timers/promises';
import { threadTaken } from './thread-time.ts';

/** Does `work`, and tells the most CPU time in milliseconds that this thread took meanwhile before others had their turn. */
export async function longestWait<T>(work: () => Promise<T>): Promise<{ outcome: T; longest: number }> {
  let longest = 0;
  let isDone = false;
  const others = async (): Promise<void> => {
    for (let last = threadTaken(); !isDone; last = threadTaken()) {
      await setImmediate();
      longest = Math.max(longest, threadTaken() - last);
    }
  };
  const watching = others();
  const outcome = await work().finally(() => {
    isDone = true;
  });
  await watching;
  return { outcome, longest };
}
