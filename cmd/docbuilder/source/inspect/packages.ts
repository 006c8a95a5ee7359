import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { getContentType, isOoxml, SOURCE_FORMATS, type SourceFormat } from '../../formats.ts';
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
/** Of one element. */
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

/** Macros of a package (contract: macro_not_allowed). */
export interface Macros {
  reason: 'vba_project' | 'macro_content_type' | 'basic' | 'scripts';
  part: string;
}

/**
 * Formats by the content type of an OOXML package's main part (ECMA-376 part 1, section 15.2; [MS-OFFMACRO2]), and by the
 * media type of an OpenDocument package (ODF 1.3 part 2, section 3.3).
 */
const FORMATS = new Map<string, SourceFormat>([
  ...SOURCE_FORMATS.filter((format) => isOoxml(format) || /^f?o/.test(format)).map((format): [string, SourceFormat] => [
    packageType(format),
    format,
  ]),
  ['application/vnd.ms-word.template.macroenabledtemplate.main+xml', 'dotm'],
]);

function packageType(format: SourceFormat): string {
  const type = getContentType(format).toLowerCase();
  return isOoxml(format) ? `${type.replace(/\.12$/, '')}.main+xml` : type;
}

/** Formats that are not supported, by content type or media type. */
const FOREIGN: [pattern: RegExp, format: string][] = [
  [/ms-excel\.sheet\.binary/, 'xlsb'],
  [/ms-visio|\.visio\./, 'vsdx'],
  [/opendocument\.graphics/, 'odg'],
  [/opendocument\.formula/, 'odf'],
  [/opendocument\.base|opendocument\.database/, 'odb'],
  [/opendocument\.text-master/, 'odm'],
  [/sun\.xml\.writer/, 'sxw'],
  [/sun\.xml\.calc/, 'sxc'],
  [/sun\.xml\.impress/, 'sxi'],
  [/epub\+zip/, 'epub'],
];

/** A package's format, or the name of one that is not supported. */
export type PackageFormat = { format: SourceFormat } | { foreign: string } | undefined;

/** Returns the main part by the elements of `_rels/.rels` (ECMA-376 part 2, section 6.5); empty if there is none. */
export function mainPart(relationships: readonly IndexElement[]): string {
  return related(relationships, '/officeDocument')?.replace(/^\//, '') ?? '';
}

/** Returns the name of the part with a part's relationships (ECMA-376 part 2, section 6.5.2). */
export function relationshipsPart(part: string): string {
  const at = part.lastIndexOf('/') + 1;
  return `${part.slice(0, at)}_rels/${part.slice(at)}.rels`;
}

/** Returns the format of an OOXML package by the content type of its main part (ECMA-376 part 2, section 7.2.3). */
export function ooxmlFormat(contentTypes: readonly IndexElement[], mainPart: string): PackageFormat {
  const own = contentTypes.filter(({ plain }) => mainPart !== '' && partName(plain['PartName']) === partName(mainPart));
  return findFormat((own.length > 0 ? own : contentTypes).map(contentType));
}

/** Returns a function from a part's name to its content type; empty if it has none (ECMA-376 part 2, section 7.2.3). */
export function partTypes(contentTypes: readonly IndexElement[]): (part: string) => string {
  const types = new Map(contentTypes.map((element) => [partName(element.plain['PartName']), contentType(element)]));
  const defaults = new Map(
    contentTypes.map((element) => [element.plain['Extension']?.toLowerCase(), contentType(element)]),
  );
  return (part) => types.get(partName(part)) ?? defaults.get(part.slice(part.lastIndexOf('.') + 1).toLowerCase()) ?? '';
}

/** Returns the format of an OpenDocument package or flat file by its media type. */
export function odfFormat(mediaType: string, flat = false): PackageFormat {
  return findFormat([mediaType.trim().toLowerCase() + (flat ? '-flat-xml' : '')]);
}

/** Returns the media type of the package in its manifest (ODF 1.3 part 2, section 4.8.4). */
export function manifestMediaType(manifest: readonly IndexElement[]): string | undefined {
  return manifest.find(({ name, own }) => name === 'file-entry' && own['full-path'] === '/')?.own['media-type'];
}

/** Returns the encrypted parts of a package by its manifest (ODF 1.3 part 2, section 4.8.2). */
export function encryptedParts(manifest: readonly IndexElement[]): ReadonlySet<string> {
  const parts = new Set<string>();
  let part = '';
  for (const { name, own } of manifest) {
    if (name === 'file-entry') part = own['full-path'] ?? '';
    if (name === 'encryption-data') parts.add(part);
  }
  return parts;
}

/** Finds macros of an OOXML package by names of parts, content types and relationships of the main part. */
export function ooxmlMacros(
  names: Iterable<string>,
  contentTypes: readonly IndexElement[],
  relationships: readonly IndexElement[],
): Macros | null {
  for (const part of names) if (/(^|\/)vbaProject\.bin$/i.test(part)) return { reason: 'vba_project', part };
  for (const element of contentTypes) {
    const part = partName(element.plain['PartName']) || `*.${element.plain['Extension'] ?? ''}`;
    if (contentType(element) === 'application/vnd.ms-office.vbaproject') return { reason: 'vba_project', part };
    if (contentType(element).includes('macroenabled')) return { reason: 'macro_content_type', part };
  }
  const project = related(relationships, '/vbaProject');
  return project === undefined ? null : { reason: 'vba_project', part: project };
}

/** Finds macros of an OpenDocument package by their folders. */
export function odfMacros(names: Iterable<string>): Macros | null {
  for (const part of names) {
    if (part.startsWith('Basic/')) return { reason: 'basic', part };
    if (part.startsWith('Scripts/')) return { reason: 'scripts', part };
  }
  return null;
}

/** Returns the target of the first relationship with this end of its type. */
function related(relationships: readonly IndexElement[], type: string): string | undefined {
  const isWanted = ({ plain }: IndexElement) => plain['Type']?.toLowerCase().endsWith(type.toLowerCase());
  return relationships.find(isWanted)?.plain['Target'];
}

function findFormat(types: readonly string[]): PackageFormat {
  const type = types.find((name) => FORMATS.has(name));
  const format = type === undefined ? undefined : FORMATS.get(type);
  if (format) return { format };
  const foreign = FOREIGN.find(([pattern]) => types.some((name) => pattern.test(name)));
  return foreign && { foreign: foreign[1] };
}

/** Returns a part's name for comparison: without its leading slash, in lower case (ECMA-376 part 2, section 6.2.2.3). */
function partName(name = ''): string {
  return name.replace(/^\//, '').toLowerCase();
}

/** Returns a content type without parameters; empty for an element without one. */
function contentType({ plain }: IndexElement): string {
  return (plain['ContentType'] ?? '').replace(/;.*/s, '').trim().toLowerCase();
}
