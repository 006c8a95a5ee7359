/** The API server answered, and refused (apimachinery `Status`). */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** Such as `Conflict`, `AlreadyExists`, `Expired`; empty when the answer has none. */
  readonly reason: string;
  /** Seconds, of 429 and 503. */
  readonly retryAfter: number | undefined;

  /** @param request such as `GET /api/v1/namespaces` */
  constructor(request: string, refusal: { status: number; reason?: string; message?: string; retryAfter?: number }) {
    const { status, reason = '', message = '', retryAfter } = refusal;
    super(`${request}: ${[status, reason, inOneLine(message)].filter(Boolean).join(' ')}`);
    this.name = 'ApiError';
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

/** Makes a message fit for a condition: one line, without the API server's comparison of two specs. */
function inOneLine(message: string): string {
  return message
    .replace(/\n@@ [\s\S]*/, '')
    .trim()
    .replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
}

/** There is no answer, or not one of an API server. It has no header and no body. */
export class UnreachableError extends Error {
  /** Such as `ECONNREFUSED`, `ETIMEDOUT`, `CERT_HAS_EXPIRED`. */
  readonly code: string;

  constructor(request: string, code: string, message: string) {
    super(`${request}: ${message}`);
    this.name = 'UnreachableError';
    this.code = code;
  }
}

/** Returns whether a request was refused, or has no answer. */
export function isRequestFailure(error: unknown): error is ApiError | UnreachableError {
  return error instanceof ApiError || error instanceof UnreachableError;
}

interface Status {
  kind?: unknown;
  code?: unknown;
  reason?: unknown;
  message?: unknown;
  details?: { retryAfterSeconds?: unknown } | null;
}

/**
 * Reads an answer other than 2xx.
 * @param body as parsed; ignored unless it is a `Status`
 * @param retryAfter the header of that name; a date is ignored
 */
export function parseRefusal(request: string, status: number, body: unknown, retryAfter?: string): ApiError {
  const { reason, message, details } = isStatus(body) ? body : ({} as Status);
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : details?.retryAfterSeconds;
  return new ApiError(request, {
    status,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof message === 'string' && { message }),
    ...(typeof seconds === 'number' && seconds > 0 && { retryAfter: seconds }),
  });
}

/** Reads the `Status` of an ERROR event of a watch. */
export function parseErrorEvent(request: string, object: unknown): ApiError {
  const { code } = isStatus(object) ? object : ({} as Status);
  return parseRefusal(request, typeof code === 'number' ? code : 500, object);
}

function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status';
}

/** Turns any other failure of a request into an UnreachableError. */
export function toUnreachable(request: string, error: unknown): unknown {
  if (isRequestFailure(error)) return error;
  const { name, message, cause } = error as Error;
  const reason = cause instanceof Error ? (cause as NodeJS.ErrnoException) : undefined;
  // The message may quote what was refused, such as a header with the token.
  if (!reason && error instanceof TypeError) return new UnreachableError(request, name, 'the request cannot be made');
  const code = (reason ?? (error as NodeJS.ErrnoException)).code ?? name;
  return new UnreachableError(request, code, reason?.message || message || code);
}

/** Seconds. A longer Retry-After is cut to this. */
const MAX_RETRY_AFTER = 30;

/** Returns whether the API server refused with one of these HTTP statuses. */
export function hasStatus(error: unknown, ...statuses: readonly number[]): error is ApiError {
  return error instanceof ApiError && statuses.includes(error.status);
}

/** Returns whether there was no connection, or it was cut off. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof UnreachableError && error.code !== 'ERR_NO_JSON';
}

/** Returns milliseconds to wait after the n-th failure in a row: doubled each time, half of it random, at least Retry-After. */
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
