import { createReadStream } from 'node:fs';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { corrupt } from '../source/source-errors.ts';

export type Attributes = Readonly<Record<string, string | undefined>>;

/** A handler returns it to skip an element with all of its content. */
export const SKIP = Symbol('skip');

/** Handles the start of an element, and may return a handler of its end. */
// biome-ignore lint/suspicious/noConfusingVoidType: most handlers return nothing
export type Open = (attributes: Attributes) => (() => void) | typeof SKIP | undefined | void;

/** Handlers by the qualified names of elements. LibreOffice always uses the prefixes of the OpenDocument specification. */
export type Elements = Record<string, Open>;

/**
 * Parses a flat OpenDocument file (ODF 1.3 part 3, section 3.1.1), without recursion.
 * @param elements the content of elements without a handler is read
 * @param onText receives the characters of elements that are not skipped
 * @throws {AppError} `corrupt_source`: `malformed_xml`, `doctype`
 */
export async function parseFlat(path: string, elements: Elements, onText: (text: string) => void): Promise<void> {
  const parser = createParser(elements, onText);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of withShortPictures(createReadStream(path, { highWaterMark: PIECE_BYTES }))) {
      parser.write(decoder.decode(piece, { stream: true }));
    }
    parser.write(decoder.decode()).close();
  } catch (error) {
    throw isNotUtf8(error) ? corrupt('malformed_xml', error) : error;
  }
}

/** Creates a parser without namespaces: saxes looks up a prefix in all open elements, which is slow in a deep document. */
function createParser(elements: Elements, onText: (text: string) => void): SaxesParser {
  const parser = new SaxesParser({ position: false });
  const handlers = new Map(Object.entries(elements));
  const open: ReturnType<Open>[] = [];
  let skipped = 0;
  const onCharacters = (text: string) => {
    if (skipped === 0) onText(text);
  };
  parser.on('error', (error) => {
    throw corrupt('malformed_xml', error);
  });
  parser.on('doctype', () => {
    throw corrupt('doctype');
  });
  parser.on('opentag', (tag) => {
    if (skipped > 0) {
      skipped += 1;
      return;
    }
    const { name, attributes } = tag as SaxesTagPlain;
    const close = handlers.get(name)?.(attributes);
    if (close === SKIP) skipped = 1;
    else open.push(close);
  });
  parser.on('closetag', () => {
    if (skipped > 0) {
      skipped -= 1;
      return;
    }
    const close = open.pop();
    if (typeof close === 'function') close();
  });
  parser.on('text', onCharacters);
  parser.on('cdata', onCharacters);
  return parser;
}

function isNotUtf8(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** Larger pieces do not fit into the processor's cache and are slower to search. */
const PIECE_BYTES = 64 * 1024;
/** Bytes of a picture that are read, in base64: a metafile contains text. */
const MAX_PICTURE = 2 ** 20;
const OPENING = Buffer.from('<office:binary-data>');
const CLOSING = Buffer.from('</office:binary-data>');

/** Cuts off pictures, which the parser would keep in memory. */
async function* withShortPictures(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  /** The bytes of a picture that are still passed on; undefined outside of pictures. */
  let room: number | undefined;
  for await (const piece of pieces) {
    let left = Buffer.concat([rest, piece]);
    for (;;) {
      const mark = room === undefined ? OPENING : CLOSING;
      const at = left.indexOf(mark);
      // A mark may begin at the end of a piece.
      const end = at < 0 ? Math.max(0, left.length - mark.length + 1) : at + (room === undefined ? mark.length : 0);
      yield left.subarray(0, Math.min(end, room ?? end));
      if (room !== undefined) room = Math.max(0, room - end);
      left = left.subarray(end);
      if (at < 0) break;
      room = room === undefined ? MAX_PICTURE : undefined;
    }
    rest = left;
  }
  yield rest;
}
