import type { ExtractedText } from '../../../src/common/generated/wire.ts';

/** A paragraph that is being read. */
interface Paragraph {
  pieces: string[];
  /** White space that follows is collapsed (ODF 1.3 part 3, section 6.1.2). */
  afterSpace: boolean;
  /** Lines of the frames anchored in the paragraph, which follow it. */
  anchored: string[];
  hidden: boolean;
  /** It is a line only with text: its style hides it, but a run in it may be shown. */
  needsText: boolean;
  /** The label of a list item or heading. */
  label: string;
}

/** The text of a body, cell, note or frame. Each paragraph is a line. */
export interface Flow {
  readonly lines: string[];
  paragraph: Paragraph | undefined;
}

export function createFlow(): Flow {
  return { lines: [], paragraph: undefined };
}

export function openParagraph(flow: Flow, needsText = false, label = ''): void {
  closeParagraph(flow);
  flow.paragraph = { pieces: [], afterSpace: true, anchored: [], hidden: false, needsText, label };
}

/** Adds the open paragraph and the text anchored in it to the flow. */
export function closeParagraph(flow: Flow, indent = ''): void {
  const { paragraph } = flow;
  if (!paragraph) return;
  flow.paragraph = undefined;
  const { hidden, needsText, label, pieces } = paragraph;
  if (!hidden && !(needsText && pieces.length === 0)) {
    const text = pieces.join('');
    flow.lines.push(indent + (label && text ? `${label} ${text}` : label + text));
  }
  addLines(flow, paragraph.anchored);
}

/** Adds lines, after the paragraph that is open. */
export function addLines(flow: Flow, lines: readonly string[]): void {
  const target = flow.paragraph?.anchored ?? flow.lines;
  for (const line of lines) target.push(line);
}

/** Adds characters without soft hyphens and repeated white space. @returns the text added */
export function addText(paragraph: Paragraph, text: string): string {
  let shown = /[\t\n\r]| {2}/.test(text) ? text.replace(/[ \t\n\r]+/g, ' ') : text;
  if (paragraph.afterSpace && shown.startsWith(' ')) shown = shown.slice(1);
  if (shown.includes('\u00ad')) shown = shown.replaceAll('\u00ad', '');
  if (shown === '') return '';
  paragraph.afterSpace = shown.endsWith(' ');
  paragraph.pieces.push(shown);
  return shown;
}

/** Adds text of an element, such as a tab or line break. */
export function addMark(paragraph: Paragraph, mark: string): void {
  paragraph.afterSpace = false;
  paragraph.pieces.push(mark);
}

/** Returns a flow as one line, with spaces for tabs and line breaks. */
export function oneLine(flow: Flow): string {
  const lines = flow.lines.length === 1 ? flow.lines : flow.lines.filter((line) => line !== '');
  const text = lines.join(' ');
  return /[\t\n\r]/.test(text) ? text.replace(/[\t\n\r]/g, ' ') : text;
}

/** Returns lines as text, without empty lines at both ends. */
export function linesText(lines: readonly string[]): string {
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start] === '') start++;
  while (end > start && lines[end - 1] === '') end--;
  return lines.slice(start, end).join('\n');
}

export type Part = ExtractedText['parts'][number];

/** Creates a part of a document, whose other members are empty. */
export function part(kind: Part['kind'], text: string, more: Partial<Part> = {}): Part {
  return { kind, name: null, hidden: false, text, notes: '', comments: [], ...more };
}

/** Returns the plain text of a document: sheets and slides under their names, followed by their notes and comments. */
export function plainText(parts: readonly Part[]): string {
  return parts.map(plainPart).filter(Boolean).join('\n\n');
}

/** The title of a slide may have several lines. */
function beginsWithName({ kind, name, text }: Part): boolean {
  const words = (lines: string) => `${lines.replace(/\s+/g, ' ').trim()} `;
  return kind === 'slide' ? words(text).startsWith(words(name ?? '')) : text.split('\n', 1)[0] === name;
}

function plainPart(part: Part): string {
  const { name, text, notes, comments } = part;
  const heading = beginsWithName(part) ? '' : name;
  const remarks = comments.map(({ author, cell, text: remark }) => {
    const by = [cell, author].filter((word) => word !== null).join(', ');
    return by === '' ? remark : `[${by}] ${remark}`;
  });
  const lines = [heading, text].filter(Boolean).join('\n');
  return [lines, notes, remarks.join('\n')].filter(Boolean).join('\n\n');
}
