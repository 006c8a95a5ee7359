import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { corrupt } from '../source-errors.ts';
import { ARCHIVE_LIMITS } from './zip.ts';

type Attributes = Readonly<Record<string, string | undefined>>;

/** An element of content types, relationships or a manifest. Names are without prefixes. */
export interface IndexElement {
  name: string;
  /** Attributes in no namespace, as in OOXML. */
  plain: Attributes;
  /** Attributes in the element's own namespace, as in OpenDocument. */
  own: Attributes;
}

const WANTED = new Set(['Override', 'Default', 'Relationship', 'file-entry', 'encryption-data']);
/** No document's is as deep; the parser looks up each prefix in all open elements. */
const MAX_DEPTH = 32;
/** In one element. */
const MAX_ATTRIBUTES = 256;
/** Each entry may be encrypted and, in some packages, in a folder of its own. */
const MAX_ELEMENTS = 4 * ARCHIVE_LIMITS.entries;

/**
 * Parses content types, relationships or a manifest. `readProlog` refuses a document type.
 * @returns the elements that inspection needs
 * @throws {AppError} `corrupt_source`: `malformed_xml`, `zip_bomb` for more elements than any package has
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
  parser.on('opentag', ({ local: name, uri, attributes: all }) => {
    attributes = 0;
    if (++depth > MAX_DEPTH) throw corrupt('malformed_xml');
    if (!WANTED.has(name)) return;
    if (++count > MAX_ELEMENTS) throw corrupt('zip_bomb');
    const list = Object.values(all);
    found.push({ name, plain: inNamespace(list, ''), own: inNamespace(list, uri) });
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.write(xml).close();
  return found;
}

function inNamespace(attributes: readonly SaxesAttributeNS[], uri: string): Attributes {
  const own = attributes.filter((attribute) => attribute.uri === uri);
  return Object.fromEntries(own.map(({ local, value }) => [local, value]));
}
