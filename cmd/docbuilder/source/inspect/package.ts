import type { SourceFormat } from '../../formats.ts';
import { corrupt, unsupported } from '../source-errors.ts';
import { refuseUnknown, type SourceName } from '../source-name.ts';
import {
  encryptedParts,
  type IndexElement,
  type Macros,
  mainPart,
  manifestMediaType,
  odfFormat,
  odfMacros,
  ooxmlFormat,
  ooxmlMacros,
  type PackageFormat,
  readIndex,
  relationshipsPart,
} from './packages.ts';
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
    const main = mainPart(index(zip, '_rels/.rels') ?? []);
    const format = formatOr(ooxmlFormat(types, main), name);
    await checkEntries(zip, { budget, depth: 0, isOdf: false });
    const related = index(zip, relationshipsPart(main)) ?? [];
    return { format, encrypted: false, macros: ooxmlMacros(zip.entries.keys(), types, related) };
  }
  const manifest = index(zip, MANIFEST) ?? [];
  const format = formatOr(odfFormat(mediaType ?? manifestMediaType(manifest) ?? ''), name);
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
