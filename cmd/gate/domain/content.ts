import type { FileType } from './model.ts';

/** The type that a file's bytes show: one of ours, a container that can be several, or something else. */
export type Content =
  | Exclude<FileType, 'doc' | 'xls' | 'ppt' | 'txt' | 'csv'>
  | 'ole'
  | 'zip'
  | 'text'
  | 'office-html'
  | 'html'
  | 'pdf'
  | 'image'
  | 'gzip'
  | 'binary'
  | 'empty';

/** A text may have any bytes and encoding. An empty one could not be saved as it is (contract: empty PutFile). */
const AS_TEXT: readonly Content[] = ['text', 'office-html', 'html', 'rtf', 'pdf', 'binary'];

/**
 * Office opens these by their content: `.doc` and `.xls` may be HTML tables, tabbed text, or newer or older formats. A
 * new format with a password is a compound file, whose content only the editor sees.
 */
const MAY_BE: Record<FileType, readonly Content[]> = {
  docx: ['docx', 'ole'],
  doc: ['ole', 'rtf', 'docx', 'text', 'office-html', 'binary'],
  odt: ['odt'],
  rtf: ['rtf', 'ole', 'docx'],
  txt: AS_TEXT,
  xlsx: ['xlsx', 'ole'],
  xls: ['ole', 'xlsx', 'text', 'office-html', 'binary'],
  ods: ['ods'],
  csv: AS_TEXT,
  pptx: ['pptx', 'ole'],
  ppt: ['ole', 'pptx'],
  odp: ['odp'],
};

/**
 * Returns whether bytes can be a document of a type. It refuses mistakes of portals, such as a login page, which a save
 * would write over the document.
 */
export function fitsFileType(fileType: FileType, content: Content): boolean {
  return MAY_BE[fileType].includes(content);
}

/** Signatures at the start of a file, as Latin-1. No text begins with one of them but those made of letters alone. */
const SIGNATURES: readonly [start: string, content: Content][] = [
  ['PK\x03\x04', 'zip'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'ole'],
  ['{\\rtf', 'rtf'],
  ['%PDF-', 'pdf'],
  ['\x89PNG\r\n\x1a\n', 'image'],
  ['\xff\xd8\xff', 'image'],
  ['\x1f\x8b', 'gzip'],
];

/** As many bytes as `sniffContent` wants to see. */
export const SNIFF_BYTES = 4096;

/** Detects a file’s type by its first bytes. @param contentType from its server: a web page may begin with anything */
export function sniffContent(head: Buffer, contentType = ''): Content {
  if (head.length === 0) return 'empty';
  const start = head.toString('latin1', 0, 16);
  const signed = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (signed) return signed[1];
  const wide = utf16Order(head);
  const text = wide ? new TextDecoder(wide).decode(head) : head.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  // Each GIF has a NUL near its beginning; a text may begin with its letters.
  if (text.includes('\0')) return start.startsWith('GIF8') ? 'image' : 'binary';
  if (!isWebPage(text, contentType)) return 'text';
  return OFFICE_PAGE.test(text) && !LOGIN_PAGE.test(text) ? 'office-html' : 'html';
}

/** The control characters that no text in UTF-16 has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\0-\x06\x0e-\x19\x1c-\x1f]/;

/** UTF-16 says so by its mark; without one, many NULs stand in every second place and none in the others. */
function utf16Order(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const mark = head.toString('hex', 0, 2);
  if (mark === 'fffe' || mark === 'feff') return mark === 'fffe' ? 'utf-16le' : 'utf-16be';
  const nuls = [0, 0] as [even: number, odd: number];
  for (const [index, byte] of head.entries()) if (byte === 0) nuls[(index & 1) as 0 | 1]++;
  const [even, odd] = nuls;
  if (even * odd > 0 || even + odd < head.length / 4) return undefined;
  const order = even > 0 ? 'utf-16be' : 'utf-16le';
  return CONTROLS.test(new TextDecoder(order).decode(head)) ? undefined : order;
}

/** HTML that Office and reports write has a table, or names Office. */
const OFFICE_PAGE = /<table\b|urn:schemas-microsoft-com:office:/i;
/** A page to log in at may be laid out by a table. */
const LOGIN_PAGE = /<form\b|type\s{0,9}=\s{0,9}["']?password/i;

function isWebPage(text: string, contentType: string): boolean {
  const start = text.trimStart();
  return /^<(!doctype\s+html|html)\b/i.test(start) || (start.startsWith('<') && /^text\/html\b/i.test(contentType));
}

/** The OpenDocument format that the entry `mimetype` of a package names. */
export function parseMimetype(mimetype: string): Content | undefined {
  const name = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)(-template)?$/.exec(
    mimetype.trim(),
  )?.[1];
  return ({ text: 'odt', spreadsheet: 'ods', presentation: 'odp' } as const)[name ?? ''];
}

/** The media type of a main part. The bound (the longest has 30 letters) keeps the search linear. */
const MAIN_PART =
  /(wordprocessingml|ms-word|spreadsheetml|ms-excel|presentationml|ms-powerpoint)\.[A-Za-z.]{1,40}main\+xml/;

/** The OOXML format that a package's `[Content_Types].xml` gives to its main part; with macros or as a template too. */
export function parseContentTypes(contentTypes: string): Content | undefined {
  // Without its NULs it can be searched in whatever form of Unicode it is.
  const name = MAIN_PART.exec(contentTypes.replaceAll('\0', ''))?.[1];
  if (name === undefined) return undefined;
  return /word/.test(name) ? 'docx' : /sheet|excel/.test(name) ? 'xlsx' : 'pptx';
}
