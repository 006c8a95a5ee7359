/** A `w:p` of a Word document, as it is written there. */
export interface Paragraph {
  id: string;
  xml: string;
  /** It holds other paragraphs (a text box). */
  fixed?: true;
}

const ATTRIBUTES = `(?:[^>"']|"[^"]*"|'[^']*')*?`;
const PARAGRAPH_TAG = new RegExp(`<w:p(?=[\\s/>])${ATTRIBUTES}(/?)>|</w:p>`, 'g');
/** The text of a run: w:t with its content, tabs and breaks. */
const TEXT = new RegExp(
  `<w:t(?=[\\s/>])${ATTRIBUTES}(?:/>|>(?<text>[^<]*)</w:t>)|<w:(?<other>tab|br|cr)(?=[\\s/>])${ATTRIBUTES}/>`,
  'g',
);
/** With the older properties that a tracked change keeps inside. */
const PROPERTIES = /<w:pPr(?:\s*\/>|[\s>][\s\S]*?<\/w:pPr>(?:<\/w:pPrChange><\/w:pPr>)?)/;
const RUN_PROPERTIES = /<w:r(?:\s[^>]*)?>\s*(<w:rPr>[\s\S]*?<\/w:rPr>)/;
const MORE_THAN_TEXT =
  /<w:(?:sectPr|fldChar|drawing|pict|object|footnoteReference|endnoteReference|comment\w+|bookmark\w+|permStart|permEnd|sdt)[\s/>]/;

/** Cuts a document into its outermost paragraphs and what stands between them. */
export function splitParagraphs(xml: string): (string | Paragraph)[] {
  const pieces: (string | Paragraph)[] = [];
  let depth = 0;
  let start = 0;
  let done = 0;
  let fixed = false;
  for (const tag of xml.matchAll(PARAGRAPH_TAG)) {
    const end = tag.index + tag[0].length;
    const closing = tag[0] === '</w:p>';
    const empty = tag[1] === '/';
    if (closing) depth -= 1;
    else if (depth > 0) fixed = true;
    else start = tag.index;
    if (!closing && !empty) depth += 1;
    if (depth > 0) continue;
    if (start > done) pieces.push(xml.slice(done, start));
    pieces.push({ id: `p${pieces.length}`, xml: xml.slice(start, end), ...(fixed ? { fixed } : {}) });
    done = end;
    fixed = false;
  }
  return [...pieces, xml.slice(done)];
}

/** Returns the text of a paragraph. */
export function paragraphText(xml: string): string {
  return spans(xml)
    .map(({ text }) => text)
    .join('');
}

/** Writes a text into a paragraph by changing no more than the part in which the two differ. */
export function setParagraphText(xml: string, wanted: string): string {
  const parts = spans(xml);
  const { start, end, inserted } = difference(parts.map(({ text }) => text).join(''), allowed(wanted));
  if (parts.length === 0) return inserted === '' ? xml : withRun(xml, inserted);
  let result = '';
  let done = 0;
  let offset = 0;
  let waiting = inserted;
  for (const part of parts) {
    const [from, to] = [offset, offset + part.text.length];
    let text = part.text.slice(0, Math.max(0, start - from)) + part.text.slice(Math.max(0, end - from));
    if (start >= to) text = part.text;
    result += xml.slice(done, part.start);
    const here = waiting !== '' && start >= from && start <= to;
    if (here && part.editable) {
      text = part.text.slice(0, start - from) + waiting + part.text.slice(Math.max(start, end) - from);
    }
    if (here && !part.editable && start === from) result += textElements(waiting);
    if (text === part.text) result += xml.slice(part.start, part.end);
    else if (part.editable) result += textElements(text);
    if (here && !part.editable && start !== from) result += textElements(waiting);
    if (here) waiting = '';
    done = part.end;
    offset = to;
  }
  return result + xml.slice(done);
}

/** An empty paragraph that looks like this one: with its properties and, once written to, those of its first run. */
export function twin(xml: string): string {
  const properties = PROPERTIES.exec(xml)?.[0].replace(/<w:sectPr[\s>][\s\S]*?<\/w:sectPr>/, '') ?? '';
  return `<w:p>${properties}<w:r>${runProperties(xml)}</w:r></w:p>`;
}

/** Returns whether nothing would be lost with a paragraph but its text and its looks. */
export function onlyText(xml: string): boolean {
  return !MORE_THAN_TEXT.test(xml);
}

interface Span {
  start: number;
  end: number;
  text: string;
  /** A w:t, whose text can be changed; the others can only go. */
  editable: boolean;
}

function spans(xml: string): Span[] {
  const properties = PROPERTIES.exec(xml);
  const from = properties ? properties.index + properties[0].length : 0;
  return [...xml.matchAll(TEXT)]
    .filter(({ index }) => index >= from)
    .map(({ 0: element, index, groups: { text, other } = {} }) => ({
      start: index,
      end: index + element.length,
      text: other ? (other === 'tab' ? '\t' : '\n') : unescapeXml(text ?? ''),
      editable: !other,
    }));
}

/** The shortest replacement that turns one text into the other; surrogate pairs stay whole. */
function difference(old: string, wanted: string): { start: number; end: number; inserted: string } {
  const shorter = Math.min(old.length, wanted.length);
  let start = 0;
  while (start < shorter && old[start] === wanted[start]) start += 1;
  if (isLowSurrogate(old, start) || isLowSurrogate(wanted, start)) start -= 1;
  let tail = 0;
  while (tail < shorter - start && old[old.length - 1 - tail] === wanted[wanted.length - 1 - tail]) tail += 1;
  if (isLowSurrogate(old, old.length - tail) || isLowSurrogate(wanted, wanted.length - tail)) tail -= 1;
  return { start, end: old.length - tail, inserted: wanted.slice(start, wanted.length - tail) };
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return index > 0 && code >= 0xdc00 && code <= 0xdfff;
}

function withRun(xml: string, text: string): string {
  const run = `<w:r>${runProperties(xml)}${textElements(text)}</w:r>`;
  return xml.endsWith('</w:p>')
    ? `${xml.slice(0, -'</w:p>'.length)}${run}</w:p>`
    : xml.replace(/\/>$/, `>${run}</w:p>`);
}

function runProperties(xml: string): string {
  return RUN_PROPERTIES.exec(xml)?.[1] ?? '';
}

function textElements(text: string): string {
  return text
    .split(/([\t\n])/)
    .map((part) => {
      if (part === '\t') return '<w:tab/>';
      if (part === '\n') return '<w:br/>';
      return part === '' ? '' : `<w:t xml:space="preserve">${escapeXml(part)}</w:t>`;
    })
    .join('');
}

/** Without what XML 1.0 forbids. */
function allowed(text: string): string {
  return text.toWellFormed().replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    if (name) return ENTITIES[name] ?? all;
    return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
  });
}
