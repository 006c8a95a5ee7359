import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { corrupt } from '../source/source-errors.ts';
import { type PlacedTag, pairTags, scanTags, type Tag, type TagMistake } from './template-tags.ts';
import { escapeAttribute, escapeText } from './xml.ts';

/** WordprocessingML, transitional and strict (ECMA-376 parts 4 and 1, annex A). */
const WORD = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
]);
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const TEXT_START = '<w:t xml:space="preserve">';

/** A tag of a part, with the paragraph that it stands in. */
export interface PartTag extends Tag {
  paragraph: number;
}

export interface PreparedPart {
  /** The part with its tags written as `{{n}}`, `{{#n}}` and `{{/n}}`; no other braces are in its text. */
  xml: string;
  /** The tag of each number. A tag that closes a list has the number of the one that opens it. */
  tags: PartTag[];
  mistakes: (TagMistake & { paragraph: number })[];
}

/** One `w:t` of a paragraph: where its content is in the output, and what it will be. */
interface Run {
  text: string;
  at: number;
}

interface Paragraph {
  ordinal: number;
  runs: Run[];
}

type FoundTag = PartTag & { at: number };
interface Slot {
  at: number;
  content: (string | FoundTag)[];
}

/**
 * Reads a part of a template strictly and writes it down anew, so that whoever fills it meets plain XML and tags that
 * are whole: a tag that Word split over runs is moved into the first of them. Names are replaced by numbers: what an
 * author wrote between the braces never reaches a template engine.
 * @returns undefined if the part has no tags
 * @throws {AppError} `corrupt_source`: `malformed_xml`, `doctype`
 */
export function preparePart(xml: string): PreparedPart | undefined {
  const out: string[] = [DECLARATION];
  const slots: Slot[] = [];
  const found: FoundTag[] = [];
  const mistakes: PreparedPart['mistakes'] = [];
  const paragraphs: Paragraph[] = [];
  let count = 0;
  let run: Run | undefined;

  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw corrupt('malformed_xml', error);
  });
  parser.on('doctype', () => {
    throw corrupt('doctype');
  });
  parser.on('opentag', (tag) => {
    const isParagraph = isWord(tag, 'p');
    if (isParagraph) paragraphs.push({ ordinal: ++count, runs: [] });
    const isEmpty = tag.isSelfClosing && !isParagraph;
    out.push(startTag(tag, isEmpty, out.length === 1));
    if (isWord(tag, 't') && !isEmpty) {
      run = { text: '', at: out.length };
      out.push('');
      paragraphs.at(-1)?.runs.push(run);
    }
  });
  parser.on('closetag', (tag) => {
    if (isWord(tag, 't')) {
      if (run) out[run.at] = encodeBraces(run.text);
      run = undefined;
    }
    if (!tag.isSelfClosing || isWord(tag, 'p')) out.push(`</${nameOf(tag)}>`);
    if (isWord(tag, 'p')) finish(paragraphs.pop());
  });
  const onText = (text: string): void => {
    if (run) run.text += text;
    else out.push(escapeText(text));
  };
  parser.on('text', onText);
  parser.on('cdata', onText);

  function finish(paragraph: Paragraph | undefined): void {
    const text = paragraph?.runs.map((each) => each.text).join('') ?? '';
    if (!paragraph || !/\{\{|\}\}/.test(text)) return;
    const scan = scanTags(text);
    mistakes.push(...scan.mistakes.map((mistake) => ({ ...mistake, paragraph: paragraph.ordinal })));
    slots.push(...layOut(paragraph, text, scan.tags, found));
  }

  parser.write(xml.replace(/^\ufeff/, '')).close();
  if (found.length === 0 && mistakes.length === 0) return undefined;

  // A paragraph in a text box ends before the one that the box is anchored in.
  found.sort((a, b) => a.at - b.at);
  const { pairs, unpaired } = pairTags(found);
  for (const [{ source, name, paragraph }, message] of unpaired) {
    mistakes.push({ tag: source, field: name, message, paragraph });
  }
  const opening = found.filter(({ kind }) => kind !== 'close');
  const numbers = new Map(opening.map((tag, number) => [tag, number]));
  for (const { at, content } of slots) {
    if (content.some((piece) => typeof piece !== 'string')) out[at - 1] = TEXT_START;
    out[at] = content.map((piece) => (typeof piece === 'string' ? piece : numbered(piece))).join('');
  }
  function numbered(tag: FoundTag): string {
    const number = numbers.get(pairs.get(tag) ?? tag);
    return `{{${{ value: '', open: '#', close: '/' }[tag.kind]}${number}}}`;
  }
  const tags = opening.map(({ kind, name, source, paragraph }) => ({ kind, name, source, paragraph }));
  return { xml: out.join(''), tags, mistakes };
}

/** What becomes of each run of a paragraph: its own text, and the tags that begin in it. */
function layOut(paragraph: Paragraph, text: string, tags: PlacedTag[], found: FoundTag[]): Slot[] {
  // A list's tag alone in its paragraph goes with the paragraph, whatever space was typed around it.
  const [only] = tags;
  const alone =
    tags.length === 1 &&
    only?.kind !== 'value' &&
    `${text.slice(0, only?.start)}${text.slice(only?.end)}`.trim() === '';
  const slots: Slot[] = [];
  let next = 0;
  let position = 0;
  for (const { text: own, at } of paragraph.runs) {
    const end = position + own.length;
    const content: Slot['content'] = [];
    while (position < end) {
      const tag = tags[next];
      if (tag && position >= tag.end) {
        next += 1;
      } else if (tag && position >= tag.start) {
        if (position === tag.start) {
          const { kind, name, source } = tag;
          const placed = { kind, name, source, paragraph: paragraph.ordinal, at };
          found.push(placed);
          content.push(placed);
        }
        position = Math.min(end, tag.end);
      } else {
        const stop = Math.min(end, tag?.start ?? end);
        if (!alone) content.push(encodeBraces(text.slice(position, stop)));
        position = stop;
      }
    }
    slots.push({ at, content });
  }
  return slots;
}

function startTag(tag: SaxesTagNS, isEmpty: boolean, isRoot: boolean): string {
  const attributes = Object.values(tag.attributes);
  let text = `<${nameOf(tag)}`;
  for (const attribute of attributes) text += ` ${nameOf(attribute)}="${escapeAttribute(attribute.value)}"`;
  if (isRoot && WORD.has(tag.uri) && tag.ns['w'] === undefined) text += ` xmlns:w="${tag.uri}"`;
  return `${text}${isEmpty ? '/>' : '>'}`;
}

/** What fills templates knows elements by the prefix `w`, which need not be the one in a file. */
function nameOf(node: SaxesTagNS | SaxesAttributeNS): string {
  if (node.uri === XMLNS && node.local === 'w' && !WORD.has((node as SaxesAttributeNS).value)) {
    throw corrupt('malformed_xml');
  }
  return WORD.has(node.uri) ? `w:${node.local}` : node.name;
}

function isWord(tag: SaxesTagNS, local: string): boolean {
  return tag.local === local && WORD.has(tag.uri);
}

/** Braces of the text itself, in a spelling that is no tag to whoever looks for tags in XML. */
function encodeBraces(text: string): string {
  return escapeText(text).replaceAll('{', '&#123;').replaceAll('}', '&#125;');
}
