import { XML_ENTITIES } from '../source/inspect/xml.ts';

/** Attributes in the order they are written; `undefined` is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Characters that XML 1.0 forbids (section 2.2), lone surrogates among them. */
const FORBIDDEN = /[[\p{Cc}\p{Cs}\ufffe\uffff]--[\t\n\r\u{7f}-\u{9f}]]/gv;
const SPECIAL = /[&<>"\t\n\r]/g;
const NEEDS_CARE = /[\p{Cc}\p{Cs}&<>"\ufffe\uffff]/u;

/** Escapes text for an attribute or between tags, and drops characters that XML forbids. */
export function escapeXml(text: string): string {
  if (!NEEDS_CARE.test(text)) return text;
  return text.replace(FORBIDDEN, '').replace(SPECIAL, (character) => XML_ENTITIES[character] ?? '');
}

/** @param content XML that is already escaped */
export function element(name: string, attributes: Attributes = {}, content = ''): string {
  const start = openTag(name, attributes);
  return content === '' ? `${start}/>` : `${start}>${content}</${name}>`;
}

/** The start tag of an element whose content follows in pieces. */
export function startTag(name: string, attributes: Attributes): string {
  return `${openTag(name, attributes)}>`;
}

function openTag(name: string, attributes: Attributes): string {
  let start = `<${name}`;
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    start += ` ${key}="${typeof value === 'string' ? escapeXml(value) : value}"`;
  }
  return start;
}

const WHITE_SPACE = /(\r\n?|\n|\t|^ +| +$| {2,}| +(?=[\t\r\n])|(?<=[\t\r\n]) +)/;
const HAS_WHITE_SPACE = /[\t\r\n]|^ | $| {2}/;

/** Text of a paragraph, with elements for line ends, tabs and spaces that a reader would collapse (ODF 1.3 part 3, 6.1.2). */
export function paragraphText(text: string): string {
  const clean = NEEDS_CARE.test(text) ? text.replace(FORBIDDEN, '') : text;
  if (!HAS_WHITE_SPACE.test(clean)) return escapeXml(clean);
  const pieces = clean.split(WHITE_SPACE);
  return pieces.map((piece, index) => (index % 2 ? whiteSpace(piece) : escapeXml(piece))).join('');
}

function whiteSpace(run: string): string {
  if (run === '\t') return '<text:tab/>';
  if (!run.startsWith(' ')) return '<text:line-break/>';
  return run.length === 1 ? '<text:s/>' : `<text:s text:c="${run.length}"/>`;
}

export const MM_PER_POINT = 25.4 / 72;

/** A length in millimetres. */
export function mm(length: number): string {
  return `${round(length)}mm`;
}

/** A length in points. */
export function pt(length: number): string {
  return `${round(length)}pt`;
}

/** Readers keep less than 1/10,000 of the unit. */
function round(length: number): number {
  return Math.round(length * 10_000) / 10_000;
}
