/** A line under construction: one paragraph. */
interface Paragraph {
  pieces: string[];
  /** Whether white space that comes next belongs to white space before (ODF 1.3 part 3, section 6.1.2). */
  afterSpace: boolean;
  /** Lines of what is anchored in the paragraph; they follow it. */
  anchored: string[];
  hidden: boolean;
  /** Whether it is no line if nothing stands in it: what its style hides, its text may show. */
  needsText: boolean;
  /** Of the list item or heading that begins here. */
  label: string;
}

/** Text that runs on in one place: a body, a cell, a note, a frame. A paragraph is one line. */
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

/** Puts the line and what is anchored in it into the flow; returns its text without label, if there was one to show. */
export function closeParagraph(flow: Flow, indent = ''): string | undefined {
  const { paragraph } = flow;
  if (!paragraph) return undefined;
  flow.paragraph = undefined;
  const { hidden, needsText, label, pieces } = paragraph;
  const text = hidden || (needsText && pieces.length === 0) ? undefined : pieces.join('');
  if (text !== undefined) flow.lines.push(indent + (label && text ? `${label} ${text}` : label + text));
  addLines(flow, paragraph.anchored);
  return text;
}

/** Adds what stands beside the text: after the paragraph that is open, if one is. */
export function addLines(flow: Flow, lines: readonly string[]): void {
  const target = flow.paragraph?.anchored ?? flow.lines;
  for (const line of lines) target.push(line);
}

const SOFT_HYPHEN = /\u00ad/g;

/** Characters of a paragraph as they stand in the XML: white space counts once, soft hyphens are no text. */
export function addText(paragraph: Paragraph, text: string): string {
  let shown = /[\t\n\r]| {2}/.test(text) ? text.replace(/[ \t\n\r]+/g, ' ') : text;
  if (paragraph.afterSpace && shown.startsWith(' ')) shown = shown.slice(1);
  if (shown.includes('\u00ad')) shown = shown.replace(SOFT_HYPHEN, '');
  if (shown === '') return '';
  paragraph.afterSpace = shown.endsWith(' ');
  paragraph.pieces.push(shown);
  return shown;
}

/** A space, tab or line break that has an element of its own. */
export function addMark(paragraph: Paragraph, mark: string): void {
  paragraph.afterSpace = false;
  paragraph.pieces.push(mark);
}

/** A flow as one line, for a table cell or a name: every tab and line feed is a space. */
export function oneLine(flow: Flow): string {
  const lines = flow.lines.length === 1 ? flow.lines : flow.lines.filter((line) => line !== '');
  const text = lines.join(' ');
  return /[\t\n\r]/.test(text) ? text.replace(/[\t\n\r]/g, ' ') : text;
}

/** A flow as lines, without the empty ones around it. */
export function textOf(flow: Flow): string {
  const { lines } = flow;
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start] === '') start++;
  while (end > start && lines[end - 1] === '') end--;
  return lines.slice(start, end).join('\n');
}
