import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { corrupt } from '../source-errors.ts';
import { ARCHIVE_LIMITS } from './archive.ts';

type Attributes = Readonly<Record<string, string | undefined>>;

/** An element of a part that says what is in a package. Names are without prefixes. */
export interface IndexElement {
  name: string;
  /** Attributes in no namespace, as OOXML has them. */
  plain: Attributes;
  /** Attributes in the element's own namespace, as OpenDocument has them. */
  own: Attributes;
}

/** Elements of content types, relationships and manifests that inspection needs. */
const WANTED = new Set(['Override', 'Default', 'Relationship', 'file-entry', 'encryption-data']);
/** No index nests as deep; the parser looks each prefix up through all open elements. */
const MAX_DEPTH = 32;
/** Most attributes of one element. */
const MAX_ATTRIBUTES = 256;
/** Each entry may be encrypted and has, in some packages, a folder of its own. */
const MAX_ELEMENTS = 4 * ARCHIVE_LIMITS.entries;

/**
 * The elements of an index part that say something of its package, read as a parser reads them: nothing that a comment,
 * a character reference or a foreign attribute hides from a pattern. A document type is passed over: whether there may
 * be one is for `readProlog` to say.
 * @returns none for an empty text
 * @throws {AppError} `corrupt_source`: `malformed_xml`, `zip_bomb` for more than any package has
 */
export function readIndex(xml: string): IndexElement[] {
  const found: IndexElement[] = [];
  if (xml === '') return found;
  let [count, depth, attributes] = [0, 0, 0];
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on('error', (error) => {
    throw corrupt('malformed_xml', error);
  });
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES) throw corrupt('malformed_xml');
  });
  parser.on('opentag', (tag) => {
    attributes = 0;
    if (++depth > MAX_DEPTH) throw corrupt('malformed_xml');
    if (!WANTED.has(tag.local)) return;
    if (++count > MAX_ELEMENTS) throw corrupt('zip_bomb');
    found.push(indexElement(tag));
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.write(xml).close();
  return found;
}

function indexElement({ local, uri, attributes }: SaxesTagNS): IndexElement {
  const all = Object.values(attributes);
  return { name: local, plain: named(all, ''), own: named(all, uri) };
}

function named(attributes: readonly SaxesAttributeNS[], uri: string): Attributes {
  const own = attributes.filter((attribute) => attribute.uri === uri);
  return Object.fromEntries(own.map(({ local, value }) => [local, value]));
}
