import { AppError } from '../errors.ts';

/** A full disk passes; nothing is wrong with the request, and it may be sent again. */
export function diskFull(cause: unknown): AppError {
  return new AppError('pool_unavailable', { reason: 'disk_full' }, { retryAfter: 30, cause });
}

/** An error of a file system without space in the words of the interface; any other unchanged. */
export function orDiskFull(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT' ? diskFull(error) : error;
}
