import { ERRORS, type ErrorCode, TOO_LARGE } from './error-catalogue.ts';

export type { ErrorCode } from './error-catalogue.ts';

/** Facts about an error, without document content (contract: Error object). */
export type ErrorDetail = Record<string, unknown>;

/** A mistake: a JSON Pointer or field name, and a sentence. */
export interface Mistake {
  path: string;
  message: string;
}

/** The error object without its request id. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  detail: ErrorDetail;
}

/** Seconds; every 503 has `Retry-After` (contract: Errors). */
const DEFAULT_RETRY_AFTER = 5;

export interface AppErrorOptions {
  /** HTTP status of a `bad_request`, such as 405. */
  status?: number;
  /** Seconds for `Retry-After`. */
  retryAfter?: number;
  /** Further response headers. */
  headers?: Record<string, string>;
  /** The original error; logged, never sent. */
  cause?: unknown;
}

/** An expected failure with a code of the interface. `http/errors.ts` converts it to the error object. */
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

/** Returns the error object without its request id. */
export function errorBody(code: ErrorCode, detail: ErrorDetail = {}): ErrorBody {
  const { reason, subject } = detail;
  const tooLarge = code === 'file_too_large' ? (TOO_LARGE[String(reason)] ?? TOO_LARGE[String(subject)]) : undefined;
  return { code, message: tooLarge ?? ERRORS[code][1], detail };
}

/** Returns `bad_request` with its mistakes (contract: DocBuilder codes). */
export function badRequest(...errors: [Mistake, ...Mistake[]]): AppError {
  return new AppError('bad_request', { errors });
}

/** Bytes of a megabyte in the contract. */
export const MB = 1024 * 1024;

/**
 * Returns `file_too_large` with `limit_mb` (contract: DocBuilder codes). @param detail further members, such as
 * `subject`
 */
export function fileTooLarge(maxBytes: number, detail: ErrorDetail = {}, cause?: unknown): AppError {
  return new AppError('file_too_large', { limit_mb: maxBytes / MB, ...detail }, { cause });
}

/** Node's codes where disk or file descriptors are used up: the same request may be sent again. */
const USED_UP: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** Converts an unknown error to `internal`; its cause is logged. An error of the object store says `isPassing`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, isPassing = false } = (error ?? {}) as { code?: unknown; isPassing?: boolean };
  return new AppError('internal', {}, { status: isPassing || USED_UP.has(code) ? 503 : 500, cause: error });
}
