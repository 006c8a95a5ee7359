import { addMark, addText, closeParagraph, openParagraph } from './flow.ts';
import { labelOf, listElements } from './lists.ts';
import type { Attributes } from './namespaces.ts';
import type { Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/** More spaces in a row than this are an attack, deeper lists too. */
const MAX_SPACES = 4096;
const MAX_INDENT = 9;

/** Adds characters to the open paragraph. */
export function readText(reader: Reader, text: string): void {
  if (reader.raw !== undefined) reader.raw += text;
  const { paragraph } = reader.flow;
  if (!paragraph || reader.style.hidden || reader.isDeleted) return;
  const shown = addText(paragraph, text);
  reader.output.take(shown);
  if (shown !== '' && reader.onPage) reader.onText?.(shown, reader.style);
}

/** Adds text that is not in the document as characters, such as a tab. */
export function readMark(reader: Reader, mark: string): void {
  const { paragraph } = reader.flow;
  if (!paragraph || reader.style.hidden || reader.isDeleted) return;
  reader.output.take(mark);
  addMark(paragraph, mark);
}

/** Runs the elements inside under another style. */
export function under(reader: Reader, family: string, name: string | undefined): (() => void) | undefined {
  if (name === undefined) return undefined;
  const around = reader.style;
  reader.style = reader.styles.apply(around, family, name);
  return () => {
    reader.style = around;
  };
}

/**
 * Paragraphs, lists and what is inside of paragraphs (ODF 1.3 part 3, sections 5 to 7). A paragraph or list item is a
 * line that begins with its label, each level of list after the first one tab further in. Fields are as displayed, ruby
 * follows its base in brackets; hidden text is left out.
 */
export function paragraphElements(reader: Reader): Elements {
  const paragraph = (attributes: Attributes, heading?: Attributes): ReturnType<Open> => {
    const restore = under(reader, 'paragraph', attributes['text:style-name']);
    const { flow } = reader;
    openParagraph(flow, reader.style.hidden, labelOf(reader, heading));
    return () => {
      const indent = reader.inCell ? '' : '\t'.repeat(Math.min(Math.max(reader.level - 1, 0), MAX_INDENT));
      const text = closeParagraph(flow, indent);
      if (text !== undefined) reader.output.take('\n');
      if (text && reader.onPage) reader.onParagraph?.(text);
      restore?.();
    };
  };
  // The styles that text has without any are known once those of the document have been read.
  const text: Open = () => {
    const around = reader.style;
    reader.style = reader.styles.base(reader.family);
    return () => {
      reader.style = around;
    };
  };
  const span: Open = (attributes) => under(reader, 'text', attributes['text:style-name']);
  const mark = (text: string): Open => {
    return () => {
      readMark(reader, text);
      return undefined;
    };
  };
  return {
    'office:master-styles': text,
    'office:body': text,
    ...listElements(reader),
    'text:p': (attributes) => paragraph(attributes),
    'text:h': (attributes) => paragraph(attributes, attributes),
    'text:span': span,
    'text:a': span,
    'text:ruby-text': () => {
      readMark(reader, ' (');
      return () => readMark(reader, ')');
    },
    'text:tab': mark('\t'),
    'text:line-break': mark('\n'),
    'text:s': (attributes) => {
      readMark(reader, ' '.repeat(Math.min(Number(attributes['text:c'] ?? 1) || 0, MAX_SPACES)));
      return undefined;
    },
    'text:section': (attributes) => (isHidden(attributes) ? SKIP : undefined),
    'text:hidden-text': (attributes) => (isHidden(attributes) ? SKIP : undefined),
    'text:user-field-get': (attributes) => (isHidden(attributes) ? SKIP : undefined),
    'text:variable-get': (attributes) => (isHidden(attributes) ? SKIP : undefined),
    'text:variable-set': (attributes) => (isHidden(attributes) ? SKIP : undefined),
    'text:hidden-paragraph': (attributes) => {
      if (isHidden(attributes) && reader.flow.paragraph) reader.flow.paragraph.hidden = true;
      return SKIP;
    },
    ...Object.fromEntries(NOT_TEXT.map((name) => [name, () => SKIP])),
  };
}

function isHidden(attributes: Attributes): boolean {
  return attributes['text:display'] === 'none' || attributes['text:is-hidden'] === 'true';
}

/** What holds text that a reader of the page does not see. */
const NOT_TEXT = [
  'office:meta',
  'table:tracked-changes',
  'text:script',
  'text:sequence-decls',
  'text:variable-decls',
  'text:user-field-decls',
  'table:content-validations',
  'table:scenario',
  'office:scripts',
  'office:event-listeners',
  'svg:title',
  'svg:desc',
  'draw:enhanced-geometry',
  'presentation:settings',
];
