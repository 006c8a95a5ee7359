import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ErrorDetail, fileTooLarge } from '../../../src/common/errors.ts';
import { createNewFile } from '../../../src/common/fs/new-file.ts';

/**
 * Creates a file of at most `maxBytes`. A failure leaves what was written.
 * @param detail of the error
 * @throws {AppError} `file_too_large` as soon as it is; the signal's abort
 */
export async function writeLimited(
  content: Readable,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
  detail: ErrorDetail = {},
): Promise<void> {
  async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes) throw fileTooLarge(maxBytes, detail);
      yield chunk;
    }
  }
  await pipeline(content, limited, await createNewFile(path), { signal });
}
