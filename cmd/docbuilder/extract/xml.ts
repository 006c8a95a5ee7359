import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { AppError } from '../../../src/common/errors.ts';
import { takingTurns } from '../../../src/common/turns.ts';
import { corrupt } from '../source/source-errors.ts';
import { type Attributes, renamer } from './namespaces.ts';

/** Events of reading an XML part. Names have the prefixes of `namespaces.ts`, whatever the part's own are. */
export interface XmlHandler {
  open(name: string, attributes: Attributes): void;
  close(): void;
  text(text: string): void;
  /** Whether enough has been read; asked between two slices. */
  enough?(): boolean;
}

/** Characters parsed at a time. */
const SLICE = 16 * 1024;

/**
 * Parses UTF-8 XML as it arrives.
 * @param signal ends it between two slices; the promise then rejects with the signal's reason
 * @throws {AppError} `corrupt_source`: `doctype`, `malformed_xml`
 */
export async function parseXml(
  pieces: AsyncIterable<Buffer>,
  handler: XmlHandler,
  signal?: AbortSignal,
): Promise<void> {
  const parser = createParser(handler);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const turn = takingTurns(signal);
  try {
    for await (const piece of pieces) {
      const text = decoder.decode(piece, { stream: true });
      for (let start = 0; start < text.length; start += SLICE) {
        signal?.throwIfAborted();
        parser.write(text.slice(start, start + SLICE));
        if (handler.enough?.()) return;
        await turn();
      }
    }
    signal?.throwIfAborted();
    parser.write(decoder.decode()).close();
  } catch (error) {
    throw isNotUtf8(error) ? corrupt('malformed_xml', error) : error;
  }
}

/**
 * Namespaces are resolved here: the parser looks a prefix up through all open elements, so that a hundred thousand
 * nested ones would take it minutes. OpenDocument declares all of them on the root element.
 */
function createParser(handler: XmlHandler): SaxesParser {
  const parser = new SaxesParser({ position: false });
  let rename: ReturnType<typeof renamer>;
  let atRoot = true;
  const tell = (error: Error): never => {
    throw error instanceof AppError ? error : corrupt('malformed_xml', error);
  };
  parser.on('error', tell);
  parser.on('doctype', () => tell(corrupt('doctype')));
  parser.on('opentag', (tag) => {
    const { name, attributes } = tag as SaxesTagPlain;
    if (atRoot) rename = renamer(attributes);
    atRoot = false;
    if (!rename) handler.open(name, attributes);
    else handler.open(rename.name(name), rename.attributes(attributes));
  });
  parser.on('closetag', () => handler.close());
  parser.on('text', (text) => handler.text(text));
  parser.on('cdata', (text) => handler.text(text));
  return parser;
}

function isNotUtf8(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}
