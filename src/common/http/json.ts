import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { type AppError, badRequest, fileTooLarge } from '../errors.ts';
import { watchBody } from './idle.ts';
import type { JsonAllocation } from './json-memory.ts';

/** Least bytes a second; slower JSON only holds a connection. */
const SLOWEST = 32 * 1024;

/** Returns whether a request may have a JSON body; `curl -d` names a form by default. */
export function saysJson(request: Pick<Request, 'is'>): boolean {
  return request.is(['application/json', 'application/x-www-form-urlencoded']) !== false;
}

/** Reads and parses a JSON body. @throws {AppError} as `readJsonText` and `parseJson` */
export async function readJson(request: IncomingMessage, idleMs: number, maxBytes: number): Promise<unknown> {
  return parseJson(await readJsonText(request, idleMs, maxBytes), '');
}

/**
 * Reads the text of a JSON body.
 * @param idleMs without a byte, and beside the time that a slow line takes
 * @param held counts its memory, for services with large bodies
 * @throws {AppError} `file_too_large`, `pool_unavailable`; `bad_request` for a body that is cut off or too deep
 */
export async function readJsonText(
  request: IncomingMessage,
  idleMs: number,
  maxBytes: number,
  held?: JsonAllocation,
): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > maxBytes) throw tooLarge(maxBytes);
  held?.assertRoom(length);
  const times = { idleMs, allMs: idleMs + ((length || maxBytes) / SLOWEST) * 1000 };
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (settle: () => void): void => {
      watch.stop();
      request.off('data', onData);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      try {
        if (size > maxBytes) throw tooLarge(maxBytes);
        held?.reserve(chunk.length);
        held?.count(chunk);
      } catch (error) {
        done(() => reject(error));
      }
    };
    const watch = watchBody(request, times, (error) => done(() => reject(error)));
    request.on('data', onData);
    request.once('end', () => done(() => resolve(Buffer.concat(chunks))));
    // Nothing else fails while a body is read than the connection.
    request.once('error', () =>
      done(() => reject(badRequest({ path: '', message: 'dữ liệu gửi lên bị ngắt giữa chừng' }))),
    );
  });
}

/** @param path of the value in the request @throws {AppError} `bad_request` */
export function parseJson(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw badRequest({ path, message: `không phải JSON hợp lệ${describePlace(error)}` });
  }
}

/** Describes where the parser stopped; its message may contain a piece of the content. */
function describePlace(error: unknown): string {
  const place = / at position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(error instanceof Error ? error.message : '');
  if (!place) return '';
  const [, position, line, column] = place;
  return ` ở vị trí ${position}${line === undefined ? '' : ` (dòng ${line}, cột ${column})`}`;
}

function tooLarge(maxBytes: number): AppError {
  return fileTooLarge(maxBytes, { subject: 'body' });
}
