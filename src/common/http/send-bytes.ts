import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { ByteRange } from '../byte-range.ts';
import { AppError } from '../errors.ts';

/** The value that `request.range` returns for a range without a byte. */
const UNSATISFIABLE = -1;

/** A file to answer with; the caller sets further headers. */
export interface Bytes {
  size: number;
  sha256: string;
  read(range?: ByteRange): Readable;
}

/**
 * Answers with a file, or with one range of it, or that the client has it already (RFC 9110, sections 13 and 14). Its
 * ETag is its SHA-256. Several ranges are answered with the whole file. Resolves when the client has it or has gone.
 * @throws {AppError} `bad_request` of status 412 or 416
 */
export async function sendBytes(request: Request, response: Response, { size, sha256, read }: Bytes): Promise<void> {
  const etag = `"${sha256}"`;
  response.setHeader('ETag', etag);
  response.setHeader('Accept-Ranges', 'bytes');
  const wanted = request.headers['if-match'];
  if (wanted !== undefined && !names(wanted, etag)) {
    const detail = { errors: [{ path: 'If-Match', message: 'tệp không còn như điều kiện của yêu cầu đòi hỏi' }] };
    throw new AppError('bad_request', detail, { status: 412 });
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

/** Returns whether the client names the file's tag (RFC 9110, section 13.1), whatever its `Cache-Control` says. */
function names(tags: string | undefined, etag: string): boolean {
  return tags?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
}

/** Returns the range that was asked for; undefined for the whole file. */
function parseRange(request: Request, size: number, etag: string): ByteRange | undefined {
  const condition = request.headers['if-range'];
  if (request.method !== 'GET' || (condition !== undefined && condition !== etag)) return undefined;
  const ranges = request.range(size);
  if (ranges === UNSATISFIABLE) {
    const detail = { errors: [{ path: 'Range', message: 'nằm ngoài tệp' }] };
    throw new AppError('bad_request', detail, { status: 416, headers: { 'Content-Range': `bytes */${size}` } });
  }
  if (typeof ranges !== 'object' || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
}

/** Codes with which `pipeline` says that the other side went away: while it ran, or before it took charge of anything. */
const GONE: ReadonlySet<unknown> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE']);

/**
 * Answers with all that `source` reads. Resolves when the client has it or has gone; the source is closed then, whatever
 * happened: a client may hang up before anything is sent.
 * @param head sets status and headers once it is known that there is something to send: a file that can't be read still
 *   gets an honest answer
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
