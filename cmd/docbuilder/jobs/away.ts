import { AppError } from '../../../src/common/errors.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';

/** The answer while database or object store are away. Nothing is wrong with the request, and it may be sent again. */
export function storageAway(cause?: unknown): AppError {
  return new AppError('pool_unavailable', { reason: 'storage_unavailable' }, { retryAfter: 5, cause });
}

/** The error of a database or an object store that is away in the words of the interface; any other unchanged. */
export function orStorageAway(error: unknown): unknown {
  const isAway = error instanceof Unavailable || (error as { isPassing?: boolean } | null)?.isPassing === true;
  return isAway ? storageAway(error) : error;
}
