import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../src/common/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';
import type { Attempt } from './ports.ts';

/**
 * Returns a function that runs work again while it fails, until `holdMs` after the first work that failed began: a store
 * that hangs has taken some of that time already. An `AppError` is an answer, and ends the attempts at once, unless it
 * is that the store is away.
 * @throws {AppError} 503 when the time is over
 */
export function retryFor(
  { holdMs, retryMs }: { holdMs: number; retryMs: number },
  log: Pick<Logger, 'error'>,
): Attempt {
  // A monotonic clock: the disk does not care what time it is.
  let deadline: number | undefined;
  let late: AbortSignal | undefined;
  return async (work) => {
    const begin = performance.now();
    for (;;) {
      try {
        return await work(late);
      } catch (error) {
        if (error instanceof AppError && !(error instanceof Unavailable)) throw error;
        deadline ??= begin + holdMs;
        const left = deadline - performance.now();
        const again = left > 0;
        late ??= AbortSignal.timeout(Math.max(0, Math.ceil(left)));
        log.error({ err: error instanceof Unavailable ? error.cause : error, again }, 'a save could not be stored');
        if (!again) throw new AppError('internal', {}, { status: 503, cause: error });
        await sleep(retryMs);
      }
    }
  };
}
