import type { MarginalInline, MarginalPart } from '../../../src/common/generated/script.ts';
import { inline, span } from './inline.ts';
import type { Styles } from './styles.ts';
import { escapeXml } from './xml.ts';

/** The text that fields show before the pages are laid out. */
export interface FieldValues {
  title: string;
  /** The date as people write it. */
  date: string;
}

/** Parts of a header or footer, from left to right. */
export const SIDES = ['left', 'center', 'right'] as const;

/**
 * The lines of one part of a header or footer, each as the content of a paragraph.
 * A date is text: it says when the document was built, and a field would say when it was opened.
 */
export function marginalLines(content: MarginalInline | undefined, values: FieldValues, styles: Styles): string[] {
  if (content === undefined) return [];
  const parts = Array.isArray(content) ? content : [content];
  return splitLines(parts).map((line) => line.map((part) => partXml(part, values, styles)).join(''));
}

/** The day as it is written in the language. */
export function dateText(date: Date, language: string): string {
  const format = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(language, format).format(date);
}

type Part = string | MarginalPart;

/** The parts cut at their line feeds. */
function splitLines(parts: readonly Part[]): Part[][] {
  const lines: Part[][] = [[]];
  for (const part of parts) {
    const text = typeof part === 'string' ? part : part.text;
    if (text === undefined) {
      lines.at(-1)?.push(part);
      continue;
    }
    const [first = '', ...rest] = text.split(/\r\n?|\n/).map((line) => withText(part, line));
    lines.at(-1)?.push(first);
    for (const line of rest) lines.push([line]);
  }
  return lines;
}

function withText(part: Part, text: string): Part {
  return typeof part === 'string' ? text : { ...part, text };
}

function partXml(part: Part, values: FieldValues, styles: Styles): string {
  if (typeof part === 'string') return inline(part, styles);
  const { field, text = '', ...look } = part;
  return field === undefined ? inline({ ...look, text }, styles) : span(fieldXml(field, values), look, styles);
}

function fieldXml(field: NonNullable<MarginalPart['field']>, { title, date }: FieldValues): string {
  switch (field) {
    case 'page':
      return '<text:page-number text:select-page="current">1</text:page-number>';
    case 'pages':
      return '<text:page-count>1</text:page-count>';
    case 'title':
      return `<text:title>${escapeXml(title)}</text:title>`;
    case 'date':
      return escapeXml(date);
  }
}
