/** Characters that are written in one go. */
const CHUNK = 1024 * 1024;

/** Many small pieces of text as few large ones. */
export function* inChunks(...parts: readonly Iterable<string>[]): Generator<string> {
  let chunk = '';
  for (const part of parts) {
    for (const piece of part) {
      chunk += piece;
      if (chunk.length < CHUNK) continue;
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}
