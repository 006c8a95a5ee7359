import { AppError } from '../errors.ts';

/** Returns the error of a full disk; the same request may be sent again. */
export function diskFull(cause: unknown): AppError {
  return new AppError('pool_unavailable', { reason: 'disk_full' }, { retryAfter: 30, cause });
}

/** Converts the error of a full disk; returns others unchanged. */
export function orDiskFull(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT' ? diskFull(error) : error;
}
