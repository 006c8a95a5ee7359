import { AppError } from '../errors.ts';

/** The outbound URL rule that a URL breaks. */
export type Violation = 'url' | 'scheme' | 'credentials' | 'host' | 'port' | 'address' | 'downgrade';

export type FetchFailure = 'network' | 'status' | 'timeout' | 'redirects' | 'encoding';

/** Returns `url_not_allowed` (contract: Outbound URL rules). */
export function notAllowed(reason: Violation): AppError {
  return new AppError('url_not_allowed', { reason });
}

/** Returns `download_failed`. Its cause has only a code: messages name addresses and URLs. */
export function fetchFailed(reason: FetchFailure, options: { status?: number; cause?: unknown } = {}): AppError {
  const { status, cause } = options;
  const detail = status === undefined ? { reason } : { reason, status };
  return new AppError('download_failed', detail, cause === undefined ? {} : { cause: new Error(getErrorCode(cause)) });
}

/** Returns the reason of an abort, an AppError as it is, or `network`. */
export function toFetchError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return thrown instanceof AppError ? thrown : fetchFailed('network', { cause: thrown });
}

function getErrorCode(thrown: unknown): string {
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
}
