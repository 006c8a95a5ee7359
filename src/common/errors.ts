import { ERRORS, type ErrorCode, TOO_LARGE } from './error-catalogue.ts';

export type { ErrorCode } from './error-catalogue.ts';

/** Machine-readable facts about an error; never holds document content (contract: Error object). */
export type ErrorDetail = Record<string, unknown>;

/** One mistake in a request: where (JSON Pointer or field name) and what. */
export interface Mistake {
  path: string;
  message: string;
}

/** The error object on the wire, without the request id. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  detail: ErrorDetail;
}

/** Seconds; every 503 carries `Retry-After` (contract: Errors). */
const DEFAULT_RETRY_AFTER = 5;

export interface AppErrorOptions {
  /** HTTP status where it differs from the catalogue's (only `bad_request` may keep an original status such as 405). */
  status?: number;
  /** Seconds for `Retry-After`. */
  retryAfter?: number;
  /** Further response headers. */
  headers?: Record<string, string>;
  /** The original error; logged, never sent. */
  cause?: unknown;
}

/**
 * An expected failure with a code of the interface. Thrown anywhere below `http`, turned into the error object
 * in one place (`http/errors.ts`). Its message is for the operator's log; callers see the catalogue's sentence.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: ErrorDetail;
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail: ErrorDetail = {}, options: AppErrorOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? ERRORS[code][0];
    this.detail = detail;
    this.retryAfter = options.retryAfter ?? (this.status === 503 ? DEFAULT_RETRY_AFTER : undefined);
    this.headers = options.headers ?? {};
  }
}

/** Returns the error object (without request id) of a code and its detail. */
export function errorBody(code: ErrorCode, detail: ErrorDetail = {}): ErrorBody {
  const { reason, subject } = detail;
  const tooLarge = code === 'file_too_large' ? (TOO_LARGE[String(reason)] ?? TOO_LARGE[String(subject)]) : undefined;
  return { code, message: tooLarge ?? ERRORS[code][1], detail };
}

/** `bad_request` with its list of mistakes (contract: DocBuilder codes, detail `errors`). */
export function badRequest(...errors: [Mistake, ...Mistake[]]): AppError {
  return new AppError('bad_request', { errors });
}

/** Bytes of a megabyte, as the contract's sizes mean it. */
export const MB = 1024 * 1024;

/**
 * `file_too_large` with its `limit_mb` (contract: DocBuilder codes).
 * @param detail its further members, such as `subject`: what of the request or its result it was
 */
export function fileTooLarge(maxBytes: number, detail: ErrorDetail = {}, cause?: unknown): AppError {
  return new AppError('file_too_large', { limit_mb: maxBytes / MB, ...detail }, { cause });
}

/** Anything thrown, as an AppError: an unknown error becomes `internal` and keeps its cause for the log. */
export function toAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('internal', {}, { cause: error });
}
