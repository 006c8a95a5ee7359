import type { Border, Inline, Run } from '../../../../src/common/generated/script.ts';
import { INVISIBLE, type Size } from '../frame.ts';
import { inline, type Look, lookAttributes } from '../inline.ts';
import { scriptGroups } from '../script-groups.ts';
import { padding, properties, type Styles } from '../styles.ts';
import { type Attributes, element, pt } from '../xml.ts';
import { fittingSize, type Measured } from './fit.ts';
import { type Box, boxAttributes, type Deck } from './layouts.ts';

const FIXED = { 'draw:auto-grow-height': 'false', 'draw:auto-grow-width': 'false', 'draw:fit-to-size': 'false' };
/** Millimetres between text and the edge of its box, as in PowerPoint. */
export const PADDING = { horizontal: 2.54, vertical: 1.27 };
const DEFAULT_SIZE = 18;
const BORDER_WIDTH = 1;

/** @returns attributes of `style:graphic-properties` */
export function fill(color: string | undefined): Attributes {
  return color === undefined ? { 'draw:fill': 'none' } : { 'draw:fill': 'solid', 'draw:fill-color': color };
}

/** @returns attributes of `style:graphic-properties` */
export function stroke(border: Border | undefined, accent: string): Attributes {
  if (!border || border.width === 0) return { 'draw:stroke': 'none' };
  return {
    'draw:stroke': 'solid',
    'svg:stroke-width': pt(border.width ?? BORDER_WIDTH),
    'svg:stroke-color': border.color ?? accent,
    'draw:stroke-linejoin': 'miter',
  };
}

interface BoxLook {
  background?: string;
  border?: Border;
  valign?: 'top' | 'middle' | 'bottom';
}

/** @returns attributes of `style:graphic-properties` */
export function boxLook({ background, border, valign = 'top' }: BoxLook, accent: string): Attributes {
  return {
    ...fill(background),
    ...stroke(border, accent),
    ...FIXED,
    'fo:wrap-option': 'wrap',
    'draw:textarea-vertical-align': valign,
    'draw:textarea-horizontal-align': 'justify',
    ...padding(PADDING.vertical, PADDING.horizontal),
  };
}

/** Adds the theme's font, and its colour for this background. */
export function withDefaults<Part extends Look>(part: Part, background: string, { theme }: Deck) {
  return { ...part, font: part.font ?? theme.font, color: part.color ?? theme.textOn(background) };
}

/** The size of an element's text, or the largest up to 18 points that fits into its box. */
export function sizeFor(size: number | undefined, text: readonly Measured[], box: Size, font: string): number {
  if (size !== undefined) return size;
  const room = { width: box.width - 2 * PADDING.horizontal, height: box.height - 2 * PADDING.vertical };
  return fittingSize(text, room, DEFAULT_SIZE, font);
}

/** Content of a placeholder's style. Without padding a title stands exactly above its text. */
export function placeholderLook(valign: 'top' | 'middle' | 'bottom', align: string, look: Look, levels = ''): string {
  const box = { ...INVISIBLE, ...FIXED, ...padding(0, 0), 'draw:textarea-vertical-align': valign };
  const paragraph = properties('paragraph', { 'fo:text-align': align });
  return properties('graphic', box, levels) + paragraph + properties('text', lookAttributes(look));
}

type FrameClass = 'title' | 'subtitle' | 'outline' | 'notes' | 'footer' | 'page-number';

/** A placeholder (ODF 1.3 part 3, 19.389). */
export function placeholder(kind: FrameClass, style: string, box: Box, content = '', layer = 'layout'): string {
  const attributes = {
    'presentation:style-name': style,
    'draw:layer': layer,
    ...boxAttributes(box),
    'presentation:class': kind,
    'presentation:placeholder': content === '' ? 'true' : undefined,
  };
  return element('draw:frame', attributes, element('draw:text-box', {}, content));
}

export interface ParagraphLook extends Look {
  align?: 'left' | 'center' | 'right' | 'justify' | undefined;
  /** A value of `fo:margin-top`. */
  above?: string;
}

/** A paragraph. It has the look itself: pptx loses size and weight of a frame's look. */
export function paragraph(text: Inline, look: ParagraphLook, styles: Styles): string {
  return paragraphXml(runs(text, styles, look), look, styles);
}

/** @param content XML */
export function paragraphXml(content: string, look: ParagraphLook, styles: Styles): string {
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

/** Text as the content of a paragraph. Links in Impress have no look of their own: they are underlined by default. */
export function runs(text: Inline, styles: Styles, around: Look): string {
  const parts = [text].flat();
  return parts.map((part) => inline(typeof part === 'string' ? part : unlinkedSpace(part, around), styles)).join('');
}

const WHITE_SPACE = /(\r\n?|\n|\t|^ +| +$| {2,})/;

/**
 * A link in Impress is a field with a string in it. It loses elements, so white space stands beside it, and is drawn in the
 * font of its first letter, so each group of scripts is a link of its own.
 */
function unlinkedSpace(run: Run, around: Look): Run[] {
  const { link, ...rest } = run;
  if (link === undefined) return [run];
  const look = { underline: around.underline ?? true, ...rest };
  const pieces = scriptGroups(run.text).flatMap((group) =>
    group.split(WHITE_SPACE).map((text, index) => (index % 2 ? { ...look, text } : { ...look, text, link })),
  );
  return pieces.filter(({ text }) => text !== '');
}
