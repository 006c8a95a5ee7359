/** Characters of a string that are made JSON in one go. */
const CHUNK = 1024 * 1024;

/**
 * A value as JSON, in pieces: what `JSON.stringify` makes is one string, which has a largest length.
 * @param value of objects, lists, strings, numbers, booleans and null
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* stringPieces(value);
  else if (Array.isArray(value)) yield* between('[', value, ']', jsonPieces);
  else if (typeof value === 'object' && value !== null) yield* between('{', Object.entries(value), '}', member);
  else yield JSON.stringify(value);
}

function* member([name, value]: [string, unknown]): Generator<string> {
  yield `${JSON.stringify(name)}:`;
  yield* jsonPieces(value);
}

function* between<Item>(
  open: string,
  items: readonly Item[],
  close: string,
  pieces: (item: Item) => Generator<string>,
): Generator<string> {
  yield open;
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ',';
    yield* pieces(item);
  }
  yield close;
}

function* stringPieces(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    const end = endOfChunk(text, start + CHUNK);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** A character of two code units is not cut: each half would be escaped. */
function endOfChunk(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
