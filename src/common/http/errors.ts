import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { AppError, type ErrorBody, errorBody, toAppError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { refuseUpload } from './continue.ts';

export const REQUEST_ID_HEADER = 'X-SVC-Request-Id';

/** Returns a request id: `req_` + 16 hex (contract: Identifiers). `randomUUID` caches random bytes. */
export function requestId(): string {
  const uuid = randomUUID();
  return `req_${uuid.slice(19, 23)}${uuid.slice(24)}`;
}

/** Returns the error object on the wire (contract: Error object). */
export function errorJson(body: ErrorBody, requestId: string): string {
  return JSON.stringify({ error: { ...body, request_id: requestId } });
}

/** Converts everything thrown in a handler to the error object with its status and headers. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const error = fromExpress(thrown);
    if (error.status >= 500 && error.code === 'internal') log.error({ err: error.cause ?? error }, 'request failed');
    else log.debug({ code: error.code, err: error.cause }, 'request refused');
    // The answer has begun: a cut connection is the only sign left.
    if (response.headersSent) return void response.destroy();
    describe(response, error);
    const id = String(response.getHeader(REQUEST_ID_HEADER) ?? requestId());
    const text = errorJson(errorBody(error.code, error.detail), id);
    response.setHeader('Content-Length', Buffer.byteLength(text));
    if (request.complete || request.method === 'HEAD') response.end(text);
    else refuseUpload(request, response, text);
  };
}

function describe(response: Response, error: AppError): void {
  response.status(error.status);
  for (const name of ['Content-Disposition', 'ETag', 'Last-Modified', 'Content-Encoding']) response.removeHeader(name);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  if (error.retryAfter !== undefined)
    response.setHeader('Retry-After', String(Math.max(1, Math.ceil(error.retryAfter))));
}

/** Messages of express's refusals, by status. */
const REFUSED: Readonly<Record<number, string>> = {
  400: 'đường dẫn hoặc nội dung không giải mã được',
  412: 'tệp không còn như điều kiện của yêu cầu đòi hỏi',
  413: 'nội dung quá lớn',
  416: 'khoảng yêu cầu nằm ngoài tệp',
};

/** Converts an error of express (a malformed escape, say) to `bad_request` with its status. */
function fromExpress(thrown: unknown): AppError {
  const { status, headers } = (thrown ?? {}) as { status?: unknown; headers?: object };
  if (thrown instanceof AppError || typeof status !== 'number' || status >= 500) return toAppError(thrown);
  const message = REFUSED[status] ?? 'yêu cầu không hợp lệ';
  const options = { status, headers: { ...headers }, cause: thrown };
  return new AppError('bad_request', { errors: [{ path: '', message }] }, options);
}

export const notFound: RequestHandler = () => {
  throw new AppError('not_found');
};

/** Refuses other methods of a known path (contract: Gate and embedding codes, `bad_request`). */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return (request) => {
    const options = { status: 405, headers: { Allow: allowed.join(', ') } };
    throw new AppError('bad_request', { method: request.method, allowed }, options);
  };
}
