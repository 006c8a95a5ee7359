import { getContentType, isOoxml, SOURCE_FORMATS, type SourceFormat } from '../../formats.ts';
import { corrupt, unsupported } from '../source-errors.ts';
import { refuseUnknown, type SourceName } from '../source-name.ts';
import { type IndexElement, readIndex } from './package-index.ts';
import { type ByteSource, bufferSource } from './source.ts';
import { MAX_PROLOG_BYTES, readProlog, xmlText } from './xml.ts';
import {
  ARCHIVE_LIMITS,
  type ArchiveBudget,
  type Head,
  newBudget,
  readEntry,
  readHead,
  readZip,
  type Zip,
} from './zip.ts';

const MiB = 1024 * 1024;
/** No document has larger content types, relationships or a larger manifest. */
const MAX_INDEX_BYTES = 4 * MiB;
/** An archive inside a document is unpacked in memory to inspect it. */
const MAX_EMBEDDED_BYTES = 64 * MiB;
/** Packed bytes of an entry that nearly always show its root element, and that always do. */
const HEAD_BYTES = 512;
const MAX_HEAD_BYTES = 8 * 1024;

const ARCHIVE = 'PK\x03\x04';
const CONTENT_TYPES = '[Content_Types].xml';
const MANIFEST = 'META-INF/manifest.xml';

/**
 * Inspects a zip that should be an OOXML or OpenDocument package.
 * @throws {AppError} `corrupt_source`; `unsupported_format` for other packages and plain archives
 */
export async function inspectPackage(
  source: ByteSource,
  name: SourceName,
): Promise<{ format: SourceFormat; encrypted: boolean; macros: Macros | null }> {
  const budget = newBudget();
  const zip = await readZip(source, budget);
  const mediaType = indexText(zip, 'mimetype');
  const types = index(zip, CONTENT_TYPES);
  if (types && !/opendocument/.test(mediaType ?? '')) {
    const main = related(index(zip, '_rels/.rels') ?? [], '/officeDocument')?.replace(/^\//, '') ?? '';
    const format = formatOr(ooxmlFormat(types, main), name);
    await checkEntries(zip, { budget, depth: 0, isOdf: false });
    const at = main.lastIndexOf('/') + 1;
    const relationships = index(zip, `${main.slice(0, at)}_rels/${main.slice(at)}.rels`) ?? [];
    return { format, encrypted: false, macros: ooxmlMacros(zip.entries.keys(), types, relationships) };
  }
  const manifest = index(zip, MANIFEST) ?? [];
  const root = manifest.find((element) => element.name === 'file-entry' && element.own['full-path'] === '/');
  const format = formatOr(odfFormat(mediaType ?? root?.own['media-type'] ?? ''), name);
  const parts = encryptedParts(manifest);
  const encrypted = parts.has('content.xml') || zip.entries.has('encrypted-package');
  // The manifest is never encrypted.
  const isReadable = (entry: string) => (encrypted ? entry.startsWith('META-INF/') : !parts.has(entry));
  await checkEntries(zip, { budget, depth: 0, isOdf: true }, isReadable);
  return { format, encrypted, macros: odfMacros(zip.entries.keys()) };
}

function formatOr(found: PackageFormat, name: SourceName): SourceFormat {
  if (!found) return refuseUnknown(name, 'zip');
  if ('foreign' in found) throw unsupported(found.foreign);
  return found.format;
}

/** Returns the text of a small part; undefined if the package does not have it. */
function indexText(zip: Zip, name: string): string | undefined {
  const entry = zip.entries.get(name);
  return entry && xmlText(readEntry(zip, entry, MAX_INDEX_BYTES));
}

function index(zip: Zip, name: string): IndexElement[] | undefined {
  const xml = indexText(zip, name);
  return xml === undefined ? undefined : readIndex(xml);
}

interface Surroundings {
  budget: ArchiveBudget;
  /** The number of archives around this one. */
  depth: number;
  isOdf: boolean;
}

/** Checks the beginning of every readable entry: the prolog of XML, and archives inside. */
async function checkEntries(zip: Zip, around: Surroundings, isReadable = (_: string) => true): Promise<void> {
  for (const entry of zip.entries.values()) {
    if (entry.size === 0 || entry.position === undefined || !isReadable(entry.name)) continue;
    const first = readHead(zip, entry, HEAD_BYTES);
    if (first.head.toString('latin1', 0, 4) === ARCHIVE) {
      await checkEmbedded(readEntry(zip, entry, MAX_EMBEDDED_BYTES), around);
      continue;
    }
    const isSeen = first.whole || readProlog(first.head).state !== 'more';
    checkProlog(entry.name, isSeen ? first : readHead(zip, entry, MAX_HEAD_BYTES), around.isOdf);
  }
}

async function checkEmbedded(archive: Buffer, { budget, depth }: Surroundings): Promise<void> {
  if (depth >= ARCHIVE_LIMITS.depth) throw corrupt('zip_bomb');
  const zip = await readZip(bufferSource(archive), budget);
  const manifest = index(zip, MANIFEST) ?? [];
  if (encryptedParts(manifest).size > 0) return;
  await checkEntries(zip, { budget, depth: depth + 1, isOdf: manifest.length > 0 });
}

/**
 * Refuses a document type declaration, and XML that could hide one. Pictures and web pages in a document may have one, and
 * so may macros, toolbars and old manifests of OpenOffice.org: theirs refers to a file that no parser reads.
 */
function checkProlog(name: string, { head, whole }: Head, isOdf: boolean): void {
  if (/\.(svg|x?html?|mht)$/i.test(name)) return;
  const { state, doctype, subset } = readProlog(head);
  if (doctype !== undefined) {
    if (isOdf && !subset && /PUBLIC\s+"-\/\/OpenOffice\.org\/\/DTD /.test(doctype)) return;
    throw corrupt('doctype');
  }
  const isUnseen = state === 'hidden' || (state === 'more' && !(whole && head.length <= MAX_PROLOG_BYTES));
  if (isUnseen && /\.(xml|rels|vml|rdf)$/i.test(name)) throw corrupt('malformed_xml');
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
  [/opendocument\.text-web/, 'oth'],
  [/opendocument\.chart/, 'odc'],
  [/opendocument\.image/, 'odi'],
  [/sun\.xml\.writer/, 'sxw'],
  [/sun\.xml\.calc/, 'sxc'],
  [/sun\.xml\.impress/, 'sxi'],
  [/epub\+zip/, 'epub'],
];

/** A package's format, or the name of one that is not supported. */
type PackageFormat = { format: SourceFormat } | { foreign: string } | undefined;

/** Returns the format of an OOXML package by the content type of its main part (ECMA-376 part 2, section 7.2.3). */
function ooxmlFormat(contentTypes: readonly IndexElement[], mainPart: string): PackageFormat {
  const main = partName(mainPart);
  const own = contentTypes.filter(({ plain }) => main !== '' && partName(plain['PartName']) === main);
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

/** Returns the encrypted parts of a package by its manifest (ODF 1.3 part 2, section 4.8.2). */
function encryptedParts(manifest: readonly IndexElement[]): ReadonlySet<string> {
  const parts = new Set<string>();
  let part = '';
  for (const { name, own } of manifest) {
    if (name === 'file-entry') part = own['full-path'] ?? '';
    if (name === 'encryption-data') parts.add(part);
  }
  return parts;
}

/** Finds macros of an OOXML package by names of parts, content types and relationships of the main part. */
function ooxmlMacros(
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
function odfMacros(names: Iterable<string>): Macros | null {
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
