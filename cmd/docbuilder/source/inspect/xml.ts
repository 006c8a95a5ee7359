/** References for characters that are markup in XML, or that a reader would change (XML 1.0, 2.11, 3.3.3). */
export const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** The part of an XML document before its content. */
interface Prolog {
  /**
   * `root`: an element has begun; `more`: the bytes ended before that; `malformed`: no parser reads on; `hidden`: it is in
   * an unknown character set.
   */
  state: 'root' | 'more' | 'malformed' | 'hidden';
  /** The document type declaration up to its internal subset. */
  doctype?: string;
  /** The declaration has an internal subset, which may declare entities. */
  subset: boolean;
  /** The root element's tag without `<`, as far as the bytes reach. */
  root: string;
}

/** No document has a longer prolog. */
export const MAX_PROLOG_BYTES = 64 * 1024;

/**
 * Character sets in which every byte below 0x80 is its ASCII character. In others (UTF-7, ISO-2022, EBCDIC) the bytes of a
 * comment could be a document type declaration. UTF-16 was decoded; what only says so is read as UTF-8 by every parser.
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

/** Reads the prolog of an XML document (XML 1.0, section 2.8) from its first bytes. */
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
    const end = rest.search(/[[>]/);
    const doctype = end < 0 ? rest : rest.slice(0, end);
    return { state: 'root', root: '', doctype, subset: end < 0 || rest[end] === '[' };
  }
  if (/^<[\p{L}_:\ufffd]/u.test(rest)) return { ...found, state: 'root', root: /^<([^>]*)/.exec(rest)?.[1] ?? '' };
  const isCut = UNFINISHED.test(rest) || '<!DOCTYPE'.startsWith(rest.toUpperCase());
  return { ...found, state: isCut ? 'more' : 'malformed' };
}

/** Decodes XML. In other character sets than UTF-8 and UTF-16 only ASCII characters, and so all markup, are right. */
export function xmlText(xml: Uint8Array): string {
  const bytes = Buffer.from(xml.buffer, xml.byteOffset, xml.length);
  const order = byteOrder(bytes.toString('latin1', 0, 2));
  if (!order) return bytes.toString('utf8').replace(/^\ufeff/, '');
  const pairs = bytes.subarray(0, bytes.length & ~1);
  return (order === 'utf-16le' ? pairs : Buffer.from(pairs).swap16()).toString('utf16le').replace(/^\ufeff/, '');
}

/** XML 1.0, appendix F: a document begins with a byte order mark or with `<`. */
function byteOrder(start: string): 'utf-16le' | 'utf-16be' | undefined {
  if (start === '\xff\xfe' || start === '<\0') return 'utf-16le';
  return start === '\xfe\xff' || start === '\0<' ? 'utf-16be' : undefined;
}
