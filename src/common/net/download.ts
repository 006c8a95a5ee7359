import { rm, writeFile } from 'node:fs/promises';
import { parse } from 'content-disposition';
import { fileTooLarge } from '../errors.ts';
import { limitBytes } from '../limit-bytes.ts';
import { getHeader, type IncomingResponse } from './exchange.ts';
import { fetchFailed, toFetchError } from './failure.ts';

/** Limit of a name in UTF-8, that of the usual file systems. */
const MAX_NAME_BYTES = 255;

export interface Downloaded {
  /** One path segment, named by the server or else the URL. */
  filename?: string;
  contentType?: string;
}

/**
 * Writes the body of an answer with status 200 to a new file (0600), which a failure removes.
 * @throws {AppError} download_failed, file_too_large; errors of the file system as they are
 */
export async function saveAnswer(
  response: IncomingResponse,
  url: URL,
  { path, maxBytes }: { path: string; maxBytes: number },
  signal: AbortSignal,
): Promise<Downloaded> {
  if (response.statusCode !== 200) throw fetchFailed('status', { status: response.statusCode });
  // The request asks for identity; unpacking would need a limit of its own.
  const encoding = String(response.headers['content-encoding'] ?? '').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') throw fetchFailed('encoding');
  if (Number(getHeader(response, 'content-length') ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
  try {
    // `wx` follows no link (open(2), O_EXCL).
    await writeFile(path, limitBytes(readChunks(response, signal), maxBytes), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true });
    throw error;
  }
  const filename = getFileName(url, getHeader(response, 'content-disposition'));
  const contentType = getHeader(response, 'content-type');
  return { ...(filename !== undefined && { filename }), ...(contentType !== undefined && { contentType }) };
}

/** Yields the chunks of a body. Converts only the errors of its source, not those of the disk. */
async function* readChunks(response: IncomingResponse, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body;
  } catch (error) {
    throw toFetchError(error, signal);
  }
}

/**
 * Returns the name of a downloaded file, one path segment: that of its Content-Disposition (RFC 6266), else of its
 * URL's path.
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

/** Returns the last segment of a path of any system, without control and text-direction characters. */
function clean(name: string): string | undefined {
  const segment = name.split(/[/\\]/).at(-1) ?? '';
  const text = segment.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '').trim();
  if (text === '' || text === '.' || text === '..' || Buffer.byteLength(text) > MAX_NAME_BYTES) return undefined;
  return text;
}
