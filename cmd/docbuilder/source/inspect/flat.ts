import type { SourceFormat } from '../../formats.ts';
import { corrupt, unsupported } from '../source-errors.ts';
import { attributes, type Macros, odfFormat } from './packages.ts';
import type { ByteSource } from './source.ts';
import { readProlog } from './xml-prolog.ts';

const CHUNK_BYTES = 256 * 1024;
/** Marks macros in a flat file. An empty library is in every file that LibreOffice writes. */
const BASIC_SOURCE = ':source-code';

/** The kinds of file that begin with a tag. */
export type Markup = { format: SourceFormat; macros: Macros | null } | { foreign: 'html' | 'svg' | 'xml' } | undefined;

/**
 * Inspects a file that begins with a tag: flat OpenDocument (ODF 1.3 part 3, section 3.1.2), other markup, or, if
 * undefined, text that happens to.
 * @throws {AppError} `corrupt_source` `doctype`; `unsupported_format` for other OpenDocument files
 */
export async function inspectMarkup(source: ByteSource, head: Buffer): Promise<Markup> {
  const { state, doctype, root } = readProlog(head);
  const [tag = ''] = /^[^\s/>]*/.exec(root) ?? [];
  const element = tag.slice(tag.indexOf(':') + 1).toLowerCase();
  if (doctype !== undefined) {
    if (/^<!doctype\s+html/i.test(doctype)) return { foreign: 'html' };
    if (/^<!doctype\s+svg/i.test(doctype)) return { foreign: 'svg' };
    throw corrupt('doctype');
  }
  if (HTML_ELEMENTS.has(element)) return { foreign: 'html' };
  if (element === 'svg') return { foreign: 'svg' };
  const found = element === 'document' ? odfFormat(attributes(root)['mimetype'] ?? '', true) : undefined;
  if (!found)
    return state === 'root' && /^[^<]*<\?xml/.test(head.toString('latin1', 0, 64)) ? { foreign: 'xml' } : undefined;
  if ('foreign' in found) throw unsupported(found.foreign);
  const hasMacros = await contains(source, BASIC_SOURCE);
  return { format: found.format, macros: hasMacros ? { reason: 'basic', part: 'office:scripts' } : null };
}

/** Web pages and their pieces begin with one of these. */
const HTML_ELEMENTS = new Set(['html', 'head', 'body', 'meta', 'title', 'style', 'script', 'table', 'div', 'p', 'br']);

async function contains(source: ByteSource, text: string): Promise<boolean> {
  for (let position = 0; position < source.size; position += CHUNK_BYTES) {
    if ((await source.read(position, CHUNK_BYTES + text.length)).includes(text)) return true;
  }
  return false;
}
