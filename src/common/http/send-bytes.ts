import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { ByteRange } from '../byte-range.ts';
import { AppError, type Mistake } from '../errors.ts';

/** A file to send. */
export interface Bytes {
  size: number;
  sha256: string;
  read(range?: ByteRange): Readable;
}

/**
 * Sends a file, one range of it, or 304 (RFC 9110, sections 13 and 14). Its ETag is its SHA-256. For several ranges the
 * whole file is sent. Resolves when the client has it or has gone.
 * @throws {AppError} `bad_request` with status 412 or 416
 */
export async function sendBytes(request: Request, response: Response, { size, sha256, read }: Bytes): Promise<void> {
  const etag = `"${sha256}"`;
  response.setHeader('ETag', etag);
  response.setHeader('Accept-Ranges', 'bytes');
  const wanted = request.headers['if-match'];
  if (wanted !== undefined && !names(wanted, etag)) {
    throw mistake(412, { path: 'If-Match', message: 'tệp không còn như điều kiện của yêu cầu đòi hỏi' });
  }
  if (names(request.headers['if-none-match'], etag)) {
    response.status(304).end();
    return;
  }
  const range = parseRange(request, size, etag);
  if (request.method === 'HEAD') {
    response.setHeader('Content-Length', size).end();
    return;
  }
  await sendStream(response, read(range), () => {
    if (range) response.status(206).setHeader('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
    response.setHeader('Content-Length', range ? range.end - range.start + 1 : size);
  });
}

/** Returns whether a header names the tag (RFC 9110, section 13.1). */
function names(tags: string | undefined, etag: string): boolean {
  return tags?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
}

/** Returns the requested range; undefined for the whole file. */
function parseRange(request: Request, size: number, etag: string): ByteRange | undefined {
  const condition = request.headers['if-range'];
  if (request.method !== 'GET' || (condition !== undefined && condition !== etag)) return undefined;
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(request.headers.range ?? '') ?? [];
  if (!(first || last) || (first && last && Number(last) < Number(first))) return undefined;
  // `-500` is the end of the file, or all of it if it is shorter.
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  if (start >= size) {
    throw mistake(416, { path: 'Range', message: 'nằm ngoài tệp' }, { 'Content-Range': `bytes */${size}` });
  }
  return { start, end: first && last ? Math.min(Number(last), size - 1) : size - 1 };
}

function mistake(status: number, error: Mistake, headers: Record<string, string> = {}): AppError {
  return new AppError('bad_request', { errors: [error] }, { status, headers });
}

/** Codes of `pipeline` when the client has gone, while it ran or before. */
const GONE: ReadonlySet<unknown> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE']);

/**
 * Sends all of `source`, and closes it in any case. Resolves when the client has it or has gone.
 * @param head sets status and headers once there is something to send: a file that cannot be read is still an error
 *   answer
 */
export async function sendStream(response: ServerResponse, source: Readable, head: () => void): Promise<void> {
  try {
    await once(source, 'readable');
    if (response.destroyed) return;
    head();
    await pipeline(source, response);
  } catch (error) {
    if (!GONE.has((error as NodeJS.ErrnoException | null)?.code)) throw error;
  } finally {
    source.destroy();
  }
}
