import { open, rm } from 'node:fs/promises';
import { parse } from 'content-disposition';
import { fileTooLarge } from '../errors.ts';
import { getHeader, type IncomingResponse } from './exchange.ts';
import { fetchFailed, toFetchError } from './failure.ts';

/** Bytes that a name may take in UTF-8, the limit of the usual file systems. */
const MAX_NAME_BYTES = 255;

export interface Downloaded {
  /** Bytes. */
  size: number;
  /** One path segment, as the server or else the URL names the file. */
  filename?: string;
  /** Content-Type as the server gave it. */
  contentType?: string;
}

/**
 * Writes the body of an answer, which has to be 200, to a new file.
 * @throws {AppError} download_failed, file_too_large; what the disk says comes through as it is
 */
export async function saveAnswer(
  response: IncomingResponse,
  url: URL,
  options: { path: string; maxBytes: number },
  signal: AbortSignal,
): Promise<Downloaded> {
  if (response.statusCode !== 200) throw fetchFailed('status', { status: response.statusCode });
  // Identity was asked for. What comes packed all the same would have to be unpacked under a limit of its own.
  const encoding = String(response.headers['content-encoding'] ?? '').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') throw fetchFailed('encoding');
  const size = await saveBody(response, options, signal);
  const filename = getFileName(url, getHeader(response, 'content-disposition'));
  const contentType = getHeader(response, 'content-type');
  return { size, ...(filename !== undefined && { filename }), ...(contentType !== undefined && { contentType }) };
}

/**
 * Writes the body of an answer to a new file at `path` (0600), which is removed again when anything goes wrong.
 * @returns its size in bytes
 * @throws {AppError} file_too_large, without reading on; download_failed. What the disk says comes through as it is.
 */
async function saveBody(
  response: IncomingResponse,
  options: { path: string; maxBytes: number },
  signal: AbortSignal,
): Promise<number> {
  const { path, maxBytes } = options;
  if (Number(getHeader(response, 'content-length') ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
  // Follows no link, as it makes the file (open(2), O_EXCL).
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    try {
      for await (const chunk of readChunks(response, signal)) {
        size += chunk.length;
        if (size > maxBytes) throw fileTooLarge(maxBytes);
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return size;
}

/** The chunks of a body. Translates what its source throws, and only that, so that it is not taken for the disk's. */
async function* readChunks(response: IncomingResponse, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body;
  } catch (error) {
    throw toFetchError(error, signal);
  }
}

/**
 * Returns the name of a downloaded file: the name in its Content-Disposition (RFC 6266), else the last segment of its URL's
 * path. One path segment, for show and for its extension; undefined when nothing is left of it.
 */
export function getFileName(url: URL, contentDisposition?: string): string | undefined {
  return clean(parse(contentDisposition ?? '').parameters['filename'] ?? '') ?? clean(decode(url.pathname));
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Takes a name's last segment, on whatever system it was made, without control and text-direction characters. */
function clean(name: string): string | undefined {
  const segment = name.split(/[/\\]/).at(-1) ?? '';
  const text = segment.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '').trim();
  if (text === '' || text === '.' || text === '..' || Buffer.byteLength(text) > MAX_NAME_BYTES) return undefined;
  return text;
}
