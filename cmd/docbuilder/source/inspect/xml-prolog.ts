/** The part of an XML document before its content begins. */
export interface Prolog {
  /**
   * `root`: an element has begun; `more`: the bytes ended before that; `malformed`: something else than a prolog, at which
   * every parser stops; `hidden`: a character set in which we cannot see it.
   */
  state: 'root' | 'more' | 'malformed' | 'hidden';
  /** The document type declaration up to its end or to its internal subset, if there is one. */
  doctype?: string;
  /** The declaration has an internal subset, which may declare entities. */
  subset: boolean;
  /** The root element's tag as far as it was seen, without `<`. */
  root: string;
}

/** More than this before the root element is no honest prolog. */
export const MAX_PROLOG_BYTES = 64 * 1024;

/**
 * Character sets in which every byte below 0x80 is its ASCII character. In others (UTF-7, ISO-2022, EBCDIC) the bytes
 * of a comment could be a document type declaration. A document that says UTF-16 and is not is read as UTF-8 by every
 * parser; one that is was decoded.
 */
const ASCII_SUPERSETS = /^(utf-?8|utf-?16.*|us-ascii|ascii|iso-8859-\d+|windows-\d+)$/i;

/** First bytes of `<?xm` in EBCDIC, and of `<` in UCS-4 (XML 1.0, appendix F). */
const OTHER_STARTS = new Set([
  '\x4c\x6f\xa7\x94',
  '\0\0\0<',
  '<\0\0\0',
  '\0\0<\0',
  '\0<\0\0',
  '\0\0\xfe\xff',
  '\xff\xfe\0\0',
]);

/** White space, instructions and comments. */
const MISC = /(?:[\t\n\r ]+|<\?.*?\?>|<!--.*?-->)*/sy;
const UNFINISHED = /^(?:$|<\?|<!--|<!-?$)/;

/**
 * Reads the prolog of an XML document (XML 1.0, section 2.8): declaration, comments, processing instructions and
 * document type, up to the root element.
 * @param head its first bytes, in UTF-8, UTF-16 or a superset of ASCII
 */
export function readProlog(head: Uint8Array): Prolog {
  const found = { subset: false, root: '' };
  if (OTHER_STARTS.has(Buffer.from(head.subarray(0, 4)).toString('latin1'))) return { ...found, state: 'hidden' };
  const text = xmlText(head.subarray(0, MAX_PROLOG_BYTES));
  MISC.lastIndex = 0;
  const [misc = ''] = MISC.exec(text) ?? [];
  const [declaration = ''] = /^\s*<\?xml.*?\?>/s.exec(misc) ?? [];
  const encoding = /encoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1];
  if (encoding !== undefined && !ASCII_SUPERSETS.test(encoding)) return { ...found, state: 'hidden' };
  const rest = text.slice(misc.length);
  if (/^<!doctype/i.test(rest)) {
    // Whoever meets one refuses the document or trusts its maker: what stands behind it is not read.
    const end = rest.search(/[[>]/);
    const doctype = end < 0 ? rest : rest.slice(0, end);
    return { state: 'root', root: '', doctype, subset: end < 0 || rest[end] === '[' };
  }
  if (/^<[\p{L}_:\ufffd]/u.test(rest)) return { ...found, state: 'root', root: /^<([^>]*)/.exec(rest)?.[1] ?? '' };
  const isCut = UNFINISHED.test(rest) || '<!DOCTYPE'.startsWith(rest.toUpperCase());
  return { ...found, state: isCut ? 'more' : 'malformed' };
}

/** XML bytes as text. In other character sets than UTF-8 and UTF-16 only the ASCII characters, thus markup, are right. */
export function xmlText(xml: Uint8Array): string {
  const bytes = Buffer.from(xml.buffer, xml.byteOffset, xml.length);
  const order = byteOrder(bytes);
  if (!order) return bytes.toString('utf8').replace(/^\ufeff/, '');
  const pairs = bytes.subarray(0, bytes.length & ~1);
  return (order === 'utf-16le' ? pairs : Buffer.from(pairs).swap16()).toString('utf16le').replace(/^\ufeff/, '');
}

/** XML 1.0, appendix F: a document begins with a byte order mark or with `<`. */
function byteOrder([first, second]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? 'utf-16be' : undefined;
}
