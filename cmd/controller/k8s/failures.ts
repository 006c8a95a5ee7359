import { ApiError, UnreachableError } from './api-error.ts';

/** Longest time that a server's Retry-After is followed, in seconds. */
const MAX_RETRY_AFTER = 30;

/** Returns whether the API server has no such kind. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Returns whether there is no right to ask, as where a namespace is gone and its roles with it. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

/** Returns whether the version to watch from, or the rest of a list, is no longer kept. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

/** Returns whether the server wants to be asked later. */
export function isBusy(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

/** Returns whether there was no connection, or it was cut off; what came before was in order. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof UnreachableError && error.code !== 'ERR_NO_JSON';
}

/**
 * Returns milliseconds to wait after the n-th failure in a row, n from 1: doubled each time up to the longest, half of it
 * random, and no less than the server asks for.
 */
export function backoffMs(
  error: unknown,
  failures: number,
  [first, longest]: readonly [number, number],
  random: () => number = Math.random,
): number {
  const full = Math.min(longest, first * 2 ** Math.min(failures - 1, 30));
  const asked = error instanceof ApiError ? Math.min(error.retryAfter ?? 0, MAX_RETRY_AFTER) * 1000 : 0;
  return Math.max(asked, full * (0.5 + 0.5 * random()));
}
