import { fileTooLarge } from './errors.ts';

/**
 * Yields chunks while they have at most `maxBytes` in all.
 * @throws {AppError} `file_too_large`; errors of the source as they are
 */
export async function* limitBytes<Chunk extends Uint8Array>(
  chunks: AsyncIterable<Chunk>,
  maxBytes: number,
): AsyncGenerator<Chunk> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw fileTooLarge(maxBytes);
    yield chunk;
  }
}
