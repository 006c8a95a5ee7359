import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { XML_ENTITIES } from '../source/inspect/xml.ts';
import { corrupt } from '../source/source-errors.ts';
import { isListTagAlone } from './language.ts';

/** WordprocessingML, transitional and strict (ECMA-376 parts 4 and 1, annex A). */
const WORD = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
]);
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A character that XML forbids (XML 1.0, section 2.2), before and behind each paragraph. */
export const BOUNDARY = '\uffff';
/** As libxml2's. The parser here looks each prefix up through all open elements. */
const MAX_DEPTH = 256;
const BOUNDARY_TEXT = `<w:t>${BOUNDARY}</w:t>`;
/** Marks, by its space, a paragraph that the template does not have. */
export const ADDED_PARAGRAPH = '<w:p >';

interface Paragraph {
  depth: number;
  xml: string;
  /** The text behind its section break. */
  text: string;
  /** The section break in `xml`. */
  section: { start: number; end: number } | undefined;
}

/**
 * Parses a part strictly and writes it for docxtemplater, which does not parse namespaces: WordprocessingML has the prefix
 * `w`, and text has no CDATA sections and few character references. `BOUNDARY` separates paragraphs, because the library
 * looks for braces in the joined text of all paragraphs.
 * @throws {AppError} `corrupt_source`: `malformed_xml`, `doctype`
 */
export function canonicalXml(xml: string): string {
  let out = DECLARATION;
  let depth = 0;
  let paragraph: Paragraph | undefined;
  let inText = false;
  const write = (piece: string): void => {
    if (paragraph) paragraph.xml += piece;
    else out += piece;
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw corrupt('malformed_xml', error);
  });
  parser.on('doctype', () => {
    throw corrupt('doctype');
  });
  parser.on('opentag', (tag) => {
    if (depth >= MAX_DEPTH) throw corrupt('malformed_xml');
    if (isWord(tag, 'p')) {
      write(BOUNDARY_TEXT);
      paragraph ??= { depth, xml: '', text: '', section: undefined };
    }
    const start = paragraph?.xml.length ?? 0;
    if (paragraph?.depth === depth - 2 && isWord(tag, 'sectPr')) paragraph.section = { start, end: start };
    inText = isWord(tag, 't');
    write(startTag(tag, depth === 0));
    depth += 1;
  });
  parser.on('closetag', (tag) => {
    depth -= 1;
    inText = false;
    if (isWord(tag, 'p') && !tag.isSelfClosing) write(BOUNDARY_TEXT);
    if (!tag.isSelfClosing) write(`</${prefixed(tag)}>`);
    if (!paragraph) return;
    if (paragraph.section && paragraph.depth === depth - 2 && isWord(tag, 'sectPr')) {
      paragraph.section.end = paragraph.xml.length;
    }
    if (paragraph.depth === depth) {
      out += withoutBreakAtTag(paragraph);
      paragraph = undefined;
    }
  });
  const addText = (text: string): void => {
    if (inText && paragraph?.section) paragraph.text += text;
    write(escapeText(text));
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(xml).close();
  return out;
}

/**
 * A paragraph with only a list's tag is removed. Its section break (ECMA-376 part 1, 17.6.18), where Word keeps one typed
 * behind `{{/list}}`, gets a paragraph of its own outside of the list.
 */
function withoutBreakAtTag({ xml, text, section }: Paragraph): string {
  if (!section || !isListTagAlone(text)) return xml;
  const { start, end } = section;
  const added = `${ADDED_PARAGRAPH}<w:pPr>${xml.slice(start, end)}</w:pPr></w:p>`;
  const rest = xml.slice(0, start) + xml.slice(end);
  return isListTagAlone(text, '#') ? added + rest : rest + added;
}

function isWord(tag: SaxesTagNS, name: string): boolean {
  return tag.local === name && WORD.has(tag.uri);
}

function startTag(tag: SaxesTagNS, isRoot: boolean): string {
  let text = `<${prefixed(tag)}`;
  for (const attribute of Object.values(tag.attributes)) {
    text += ` ${prefixed(attribute)}="${attribute.value.replace(/[&<>"\t\n\r]/g, escaped)}"`;
  }
  if (isRoot && WORD.has(tag.uri) && tag.ns['w'] === undefined) text += ` xmlns:w="${tag.uri}"`;
  return `${text}${tag.isSelfClosing ? '/>' : '>'}`;
}

function prefixed(node: SaxesTagNS | SaxesAttributeNS): string {
  if (node.uri === XMLNS && node.local === 'w' && !WORD.has((node as SaxesAttributeNS).value)) {
    throw corrupt('malformed_xml');
  }
  return WORD.has(node.uri) ? `w:${node.local}` : node.name;
}

const escaped = (character: string): string => XML_ENTITIES[character] ?? '';

/** Parsers keep a line feed, but no carriage return (XML 1.0, section 2.11). */
function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, escaped);
}

/** Characters that XML 1.0 forbids (section 2.2). */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const BREAK = '</w:t><w:br/><w:t xml:space="preserve">';
const TAB = '</w:t><w:tab/><w:t xml:space="preserve">';

/** A value as content of a `w:t`, without characters that XML forbids. Breaks and tabs stay in the run: it has the formatting. */
export function runText(value: string): string {
  return escapeText(value.replace(FORBIDDEN, '').replace(/\r\n?/g, '\n')).replaceAll('\n', BREAK).replaceAll('\t', TAB);
}
