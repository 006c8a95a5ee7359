import type { Border } from '../../../../src/common/generated/script.ts';
import type { Look } from '../inline.ts';
import { type Attributes, mm, pt } from '../xml.ts';
import type { Deck } from './deck.ts';
import { fittingSize, type Measured, sizesFrom } from './fit.ts';
import { FIXED_SIZE, solid } from './frames.ts';
import type { Box } from './layouts.ts';

/** Distance of text from the edge of its box in millimetres, as PowerPoint has it. */
export const PADDING = { horizontal: 2.54, vertical: 1.27 };
const DEFAULT_SIZE = 18;
const BORDER_WIDTH = 1;

/** The look that all boxes with text have. */
export interface BoxLook {
  background?: string;
  border?: Border;
  valign?: 'top' | 'middle' | 'bottom';
}

/** Fill, line, padding and vertical alignment as attributes of `style:graphic-properties`. */
export function boxLook(
  { background, border, valign }: BoxLook,
  accent: string,
  otherwise: 'top' | 'middle',
): Attributes {
  return {
    ...(background === undefined ? { 'draw:fill': 'none' } : solid(background)),
    ...stroke(border, accent),
    ...FIXED_SIZE,
    'fo:wrap-option': 'wrap',
    'draw:textarea-vertical-align': valign ?? otherwise,
    'draw:textarea-horizontal-align': 'justify',
    'fo:padding-top': mm(PADDING.vertical),
    'fo:padding-right': mm(PADDING.horizontal),
    'fo:padding-bottom': mm(PADDING.vertical),
    'fo:padding-left': mm(PADDING.horizontal),
  };
}

/** A line as attributes of `style:graphic-properties`; none without a border. */
export function stroke(border: Border | undefined, accent: string): Attributes {
  if (!border || border.width === 0) return { 'draw:stroke': 'none' };
  return {
    'draw:stroke': 'solid',
    'svg:stroke-width': pt(border.width ?? BORDER_WIDTH),
    'svg:stroke-color': border.color ?? accent,
    'draw:stroke-linejoin': 'miter',
  };
}

/** The look of the letters of an element, its size excepted. */
export function getLetters(
  { bold, italic, underline, strike, highlight, color, font }: Look,
  background: string,
  { theme }: Deck,
): Look & { font: string } {
  const said = Object.fromEntries(
    Object.entries({ bold, italic, underline, strike, highlight }).filter(([, value]) => value !== undefined),
  );
  return { font: font ?? theme.font, color: color ?? theme.textOn(background), ...said };
}

/** The size that an element says, or the largest up to 18 points at which its text fits into its box. */
export function sizeFor(
  size: number | undefined,
  text: readonly Measured[],
  box: Pick<Box, 'width' | 'height'>,
  font: string,
): number {
  if (size !== undefined) return size;
  const room = { width: box.width - 2 * PADDING.horizontal, height: box.height - 2 * PADDING.vertical };
  return fittingSize(text, room, sizesFrom(DEFAULT_SIZE), font);
}
