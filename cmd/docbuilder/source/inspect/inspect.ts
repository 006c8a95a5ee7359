import { AppError } from '../../../../src/common/errors.ts';
import { type Generation, getFamily, isOoxml, type SourceEncoding, type SourceFormat } from '../../formats.ts';
import { detectDelimiter } from '../csv.ts';
import { corrupt, unsupported } from '../source-errors.ts';
import { refuseUnknown, type SourceName, saysText, sourceName } from '../source-name.ts';
import { binaryDocument, inspectCompound } from './compound.ts';
import { inspectPackage, type Macros, odfFormat } from './package.ts';
import { SNIFF_BYTES, sniff } from './sniff.ts';
import { type ByteSource, withSource } from './source.ts';
import { detectEncoding } from './text.ts';
import { readProlog } from './xml.ts';
import { endsAsArchive } from './zip.ts';

/** The result of inspecting a source file. */
export interface Inspection {
  format: SourceFormat;
  encrypted: boolean;
  /** The generation of a binary document older than Office 97. */
  generation?: Generation;
  /** Null for encrypted and binary formats, too. */
  macros: Macros | null;
  /** Only csv and txt have it. */
  text?: { encoding: SourceEncoding; delimiter?: string };
}

export interface InspectOptions {
  filename?: string | undefined;
  from?: string | undefined;
  encoding?: SourceEncoding | undefined;
  delimiter?: string | undefined;
  hasPassword: boolean;
}

/**
 * Inspects a source file before LibreOffice reads it. The content decides about the format; for plain text and encrypted
 * packages, whose content does not show it, the name and `from` do.
 * @throws {AppError} `corrupt_source` with a reason; `unsupported_format` with the format found; `password_required` if
 *   the request has none
 */
export async function inspect(path: string, options: InspectOptions): Promise<Inspection> {
  const name = sourceName(options.from, options.filename);
  const found = await withSource(path, (source) => inspectSource(source, name, options));
  const { encrypted, format } = found;
  // Workbooks that Excel protects against changes only have a password that every program knows.
  const mayOpenWithout = format === 'xls' || (isOoxml(format) && getFamily(format) === 'sheet');
  if (encrypted && !options.hasPassword && !mayOpenWithout)
    throw new AppError('password_required', { reason: 'missing' });
  return found;
}

async function inspectSource(source: ByteSource, name: SourceName, options: InspectOptions): Promise<Inspection> {
  if (source.size === 0) throw corrupt('empty');
  const head = source.read(0, SNIFF_BYTES);
  const sniffed = sniff(head);
  // A file may have other bytes before an archive.
  const isUnknown = sniffed.kind === 'binary' || sniffed.kind === 'text';
  if (isUnknown && name.format && !saysText(name) && endsAsArchive(source)) {
    return inspectPackage(source, name);
  }
  switch (sniffed.kind) {
    case 'zip':
      return inspectPackage(source, name);
    case 'cfb':
      return { ...inspectCompound(source, name), macros: null };
    case 'stream':
      return { ...binaryDocument(sniffed.format, head, sniffed.generation), macros: null };
    case 'rtf':
      return { format: 'rtf', encrypted: false, macros: null };
    case 'foreign':
      throw unsupported(sniffed.format);
    case 'binary':
      // UTF-16 without a byte order mark is only recognized with much ASCII in it.
      if (saysText(name) && options.encoding?.startsWith('utf-16')) return inspectText(source, head, name, options);
      return refuseUnknown(name, 'binary');
    case 'markup': {
      const markup = inspectMarkup(source, head, name);
      if (markup && 'format' in markup) return { ...markup, encrypted: false };
      if (markup && !saysText(name)) throw unsupported(markup.foreign);
      return inspectText(source, head, name, options);
    }
    case 'text':
      return inspectText(source, head, name, options);
  }
}

function inspectText(source: ByteSource, head: Buffer, name: SourceName, options: InspectOptions): Inspection {
  if (name.format && !saysText(name)) throw corrupt(`not_${name.format}`);
  const encoding = detectEncoding(source, head, options.encoding);
  const found = { encrypted: false, macros: null };
  if (name.format !== 'csv') return { format: 'txt', ...found, text: { encoding } };
  const complete = head.length === source.size;
  const text = new TextDecoder(encoding).decode(head, { stream: !complete });
  const delimiter = options.delimiter ?? detectDelimiter(text, complete, name.tsv ? '\t' : ',');
  return { format: 'csv', ...found, text: { encoding, delimiter } };
}

const CHUNK_BYTES = 256 * 1024;
/** The element of a macro in a flat file. LibreOffice writes an empty library into every file. */
const BASIC_SOURCE = ':source-code';

type Markup = { format: SourceFormat; macros: Macros | null } | { foreign: 'html' | 'svg' | 'xml' } | undefined;

/**
 * Inspects a file that begins with a tag: flat OpenDocument (ODF 1.3 part 3, section 3.1.2), or other markup. Undefined
 * for text.
 * @throws {AppError} `corrupt_source` `doctype`; `unsupported_format` for other OpenDocument files
 */
function inspectMarkup(source: ByteSource, head: Buffer, name: SourceName): Markup {
  const { state, doctype, root } = readProlog(head);
  const [tag = ''] = /^[^\s/>]*/.exec(root) ?? [];
  const element = tag.slice(tag.indexOf(':') + 1).toLowerCase();
  if (doctype !== undefined) {
    // No parser reads it: it is converted as text.
    if (saysText(name)) return undefined;
    if (/^<!doctype\s+html/i.test(doctype)) return { foreign: 'html' };
    if (/^<!doctype\s+svg/i.test(doctype)) return { foreign: 'svg' };
    throw corrupt('doctype');
  }
  if (HTML_ELEMENTS.has(element)) return { foreign: 'html' };
  if (element === 'svg') return { foreign: 'svg' };
  const mediaType = element === 'document' ? /:mimetype\s*=\s*["']([^"']*)/.exec(root)?.[1] : undefined;
  const found = odfFormat(mediaType ?? '', true);
  if (!found) {
    return state === 'root' && /^[^<]*<\?xml/.test(head.toString('latin1', 0, 64)) ? { foreign: 'xml' } : undefined;
  }
  if ('foreign' in found) throw unsupported(found.foreign);
  const macros = { reason: 'basic', part: 'office:scripts' } as const;
  return { format: found.format, macros: contains(source, BASIC_SOURCE) ? macros : null };
}

/** The first elements of web pages and parts of them. */
const HTML_ELEMENTS = new Set(['html', 'head', 'body', 'meta', 'title', 'style', 'script', 'table', 'div', 'p', 'br']);

function contains(source: ByteSource, text: string): boolean {
  for (let position = 0; position < source.size; position += CHUNK_BYTES) {
    if (source.read(position, CHUNK_BYTES + text.length).includes(text)) return true;
  }
  return false;
}
