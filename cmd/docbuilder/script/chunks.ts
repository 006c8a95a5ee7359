/** Characters that are encoded in one go. */
const CHUNK = 65_536;

/**
 * Many small pieces of text as few large chunks of UTF-8. Each is encoded as soon as it is full: a text that was put
 * together of many others holds on to all of them, which makes the garbage collection of a large document expensive.
 * @param pieces none of them ends within a character
 */
export function* inChunks(pieces: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
