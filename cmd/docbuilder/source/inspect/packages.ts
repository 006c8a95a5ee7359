import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { getContentType, isOoxml, SOURCE_FORMATS, type SourceFormat } from '../../formats.ts';
import { corrupt } from '../source-errors.ts';
import { ARCHIVE_LIMITS } from './zip.ts';

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

/** The reason why a package counts as one with macros (contract: macro_not_allowed). */
export interface Macros {
  reason: 'vba_project' | 'macro_content_type' | 'basic' | 'scripts';
  part: string;
}

/**
 * Formats by the content type of an OOXML package's main part (ECMA-376 part 1, section 15.2; [MS-OFFMACRO2] for the
 * macro ones), and by the media type of an OpenDocument package (ODF 1.3 part 2, section 3.3).
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

/** Packages that are known and not taken, by what their main part or media type says. */
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

/** A package's format, or the name of the one it has instead. */
export type PackageFormat = { format: SourceFormat } | { foreign: string } | undefined;

/**
 * The name of the part that a package's relationships call the document; empty if none (ECMA-376 part 2, section 6.5).
 * @param relationships elements of `_rels/.rels`
 */
export function mainPart(relationships: readonly IndexElement[]): string {
  return related(relationships, '/officeDocument')?.replace(/^\//, '') ?? '';
}

/** The name of the part with a part's relationships (ECMA-376 part 2, section 6.5.2). */
export function relationshipsPart(part: string): string {
  const at = part.lastIndexOf('/') + 1;
  return `${part.slice(0, at)}_rels/${part.slice(at)}.rels`;
}

/**
 * The format of an OOXML package: the content type of its main part (ECMA-376 part 2, section 7.2.3).
 * @param contentTypes elements of `[Content_Types].xml`
 */
export function ooxmlFormat(contentTypes: readonly IndexElement[], mainPart: string): PackageFormat {
  const own = contentTypes.filter(({ plain }) => mainPart !== '' && partName(plain['PartName']) === partName(mainPart));
  return findFormat((own.length > 0 ? own : contentTypes).map(contentType));
}

/**
 * The content type of each part of an OOXML package by the part's name; empty if it has none (part 2, section 7.2.3).
 * @param contentTypes elements of `[Content_Types].xml`
 */
export function partTypes(contentTypes: readonly IndexElement[]): (part: string) => string {
  const types = new Map(contentTypes.map((element) => [partName(element.plain['PartName']), contentType(element)]));
  const defaults = new Map(
    contentTypes.map((element) => [element.plain['Extension']?.toLowerCase(), contentType(element)]),
  );
  return (part) => types.get(partName(part)) ?? defaults.get(part.slice(part.lastIndexOf('.') + 1).toLowerCase()) ?? '';
}

/** The format of an OpenDocument package or, with `flat`, of a flat file, by its media type. */
export function odfFormat(mediaType: string, flat = false): PackageFormat {
  return findFormat([mediaType.trim().toLowerCase() + (flat ? '-flat-xml' : '')]);
}

/** The media type of the package itself as its manifest has it (ODF 1.3 part 2, section 4.8.4). */
export function manifestMediaType(manifest: readonly IndexElement[]): string | undefined {
  return manifest.find(({ name, own }) => name === 'file-entry' && own['full-path'] === '/')?.own['media-type'];
}

/** The parts that are encrypted by what a manifest says (ODF 1.3 part 2, section 4.8.2): all of them, or one library of macros. */
export function encryptedParts(manifest: readonly IndexElement[]): ReadonlySet<string> {
  const parts = new Set<string>();
  let part = '';
  for (const { name, own } of manifest) {
    if (name === 'file-entry') part = own['full-path'] ?? '';
    if (name === 'encryption-data') parts.add(part);
  }
  return parts;
}

/**
 * Macros of an OOXML package, found by a part's name, by a content type, or by a relationship of the main part.
 * @param contentTypes elements of `[Content_Types].xml`
 * @param relationships elements of the main part's relationships
 */
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

/** Macros of an OpenDocument package, found by the folders that hold them. */
export function odfMacros(names: Iterable<string>): Macros | null {
  for (const part of names) {
    if (part.startsWith('Basic/')) return { reason: 'basic', part };
    if (part.startsWith('Scripts/')) return { reason: 'scripts', part };
  }
  return null;
}

/** The target of the first relationship whose type ends like this. */
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

/** Part names are compared without their leading slash and without regard to case (ECMA-376 part 2, section 6.2.2.3). */
function partName(name = ''): string {
  return name.replace(/^\//, '').toLowerCase();
}

/** A content type without its parameters; empty for an element that has none. */
function contentType({ plain }: IndexElement): string {
  return (plain['ContentType'] ?? '').replace(/;.*/s, '').trim().toLowerCase();
}
