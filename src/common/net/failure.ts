import { AppError } from '../errors.ts';

/** The outbound URL rule that a URL breaks. Says nothing about where a name led. */
export type Violation = 'url' | 'scheme' | 'credentials' | 'host' | 'port' | 'address' | 'downgrade';

/** Why a fetch failed although its URL was fine. */
export type FetchFailure = 'network' | 'status' | 'timeout' | 'redirects' | 'encoding';

/** `url_not_allowed` (contract: Outbound URL rules). */
export function notAllowed(reason: Violation): AppError {
  return new AppError('url_not_allowed', { reason });
}

/** `download_failed`; of what happened below, the log gets the code alone: messages name addresses and URLs. */
export function fetchFailed(reason: FetchFailure, options: { status?: number; cause?: unknown } = {}): AppError {
  const { status, cause } = options;
  const detail = status === undefined ? { reason } : { reason, status };
  return new AppError('download_failed', detail, cause === undefined ? {} : { cause: new Error(getErrorCode(cause)) });
}

/** Converts what was thrown for the caller: the reason of an abort, an error that has a meaning already, or `network`. */
export function toFetchError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return thrown instanceof AppError ? thrown : fetchFailed('network', { cause: thrown });
}

function getErrorCode(thrown: unknown): string {
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
}
