import { open, rm } from 'node:fs/promises';
import { fileTooLarge } from '../errors.ts';
import { getHeader, type IncomingResponse } from './exchange.ts';
import { toFetchError } from './failure.ts';

/**
 * Writes the body of an answer to a new file at `path` (0600), which is removed again when anything goes wrong.
 * @returns its size in bytes
 * @throws {AppError} file_too_large, without reading on; download_failed. What the disk says comes through as it is.
 */
export async function saveBody(
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
