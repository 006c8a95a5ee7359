import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../src/common/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Attempt } from './ports.ts';
import { Unavailable } from './unavailable.ts';

/**
 * Returns a function that runs work again while it fails, until `holdMs` after the first failure. An `AppError` is an
 * answer, and ends the attempts at once, unless it is that the store is away.
 * @throws {AppError} 503 when the time is over
 */
export function retryFor(
  { holdMs, retryMs }: { holdMs: number; retryMs: number },
  log: Pick<Logger, 'error'>,
): Attempt {
  // A monotonic clock: the disk does not care what time it is.
  let deadline: number | undefined;
  return async (work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof AppError && !(error instanceof Unavailable)) throw error;
        deadline ??= performance.now() + holdMs;
        const again = performance.now() < deadline;
        log.error({ err: error instanceof Unavailable ? error.cause : error, again }, 'a save could not be stored');
        if (!again) throw new AppError('internal', {}, { status: 503, cause: error });
        await sleep(retryMs);
      }
    }
  };
}
