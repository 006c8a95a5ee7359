import type { Inline, Run } from '../../../../src/common/generated/script.ts';
import { inline, type Look, lookAttributes } from '../inline.ts';
import { scriptGroups } from '../script-groups.ts';
import { properties, type Styles } from '../styles.ts';
import { element } from '../xml.ts';

export type Align = 'left' | 'center' | 'right' | 'justify';

/** The look of a paragraph. */
export interface ParagraphLook extends Look {
  align?: Align | undefined;
  /** Space above it as a value of `fo:margin-top`. */
  above?: string;
}

/**
 * One paragraph. Its look is said on the paragraph itself and not on the frame: of a frame's look, pptx loses size
 * and weight.
 * @param content XML
 */
export function paragraph(content: string, look: ParagraphLook, styles: Styles): string {
  return element('text:p', { 'text:style-name': paragraphStyle(look, styles) }, content);
}

/** Name of the automatic style with this look. */
export function paragraphStyle({ align, above = '0mm', ...look }: ParagraphLook, styles: Styles): string {
  const place = {
    'fo:text-align': align,
    'fo:margin-top': above,
    'fo:margin-bottom': '0mm',
    'fo:margin-left': '0mm',
    'fo:text-indent': '0mm',
  };
  return styles.style('paragraph', properties('paragraph', place) + properties('text', lookAttributes(look)));
}

/** White space that ODF has elements for. */
const WHITE_SPACE = /(\r\n?|\n|\t|^ +| +$| {2,})/;

/**
 * Writes text as the content of a paragraph. Links are underlined unless
 * something is said: in Impress they have no look of their own.
 * @param around look of the paragraph
 */
export function runs(text: Inline, styles: Styles, around: Look = {}): string {
  const parts = Array.isArray(text) ? text : [text];
  return parts.map((part) => inline(typeof part === 'string' ? part : unlinkedSpace(part, around), styles)).join('');
}

/** Text without its looks. */
export function plain(text: Inline): string {
  const parts = Array.isArray(text) ? text : [text];
  return parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}

/**
 * A link in Impress is a field with a string in it. Elements are lost there, so its white space stands beside it; and
 * all of it is drawn in the font of its first letter, so that each group of scripts is a link of its own.
 */
function unlinkedSpace(run: Run, around: Look): (string | Run)[] {
  const { link, ...rest } = run;
  if (link === undefined) return [run];
  const look = { underline: around.underline ?? true, ...rest };
  const pieces = scriptGroups(run.text).flatMap((group) =>
    group.split(WHITE_SPACE).map((text, index) => (index % 2 ? { ...look, text } : { ...look, text, link })),
  );
  return pieces.filter(({ text }) => text !== '');
}
