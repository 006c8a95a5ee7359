import type { Marginal } from '../../../../src/common/generated/script.ts';
import { type FieldValues, marginalLines, SIDES } from '../marginal.ts';
import type { Styles } from '../styles.ts';
import { lineValue } from '../table.ts';
import { element, mm } from '../xml.ts';
import { paragraphStyle, textAlign } from './paragraph.ts';
import type { DocumentStyle } from './style.ts';

/** Letters of captions, headers and footers in relation to the text's. */
export const SMALL = 5 / 6;
/** A line in relation to the size of its letters, in the fonts that need most. */
const LINE_HEIGHT = 1.37;
const MM_PER_POINT = 25.4 / 72;
const RULE_PADDING = 1;
const RULE_HEIGHT = RULE_PADDING + 0.2;
const LINE_END = /\r\n?|\n/;

export type MarginalName = 'header' | 'footer';

const NAMES = {
  header: { style: 'Header', ruledSide: 'bottom' },
  footer: { style: 'Footer', ruledSide: 'top' },
} as const;

/**
 * A header or footer as paragraphs: its parts side by side, line by line, at the tab stops of its named style. A part
 * that stands alone is aligned instead, so that it may wrap.
 */
export function marginalParagraphs(
  name: MarginalName,
  marginal: Marginal,
  values: FieldValues,
  styles: Styles,
): string {
  const parts = SIDES.map((side) => marginalLines(marginal[side], values, styles));
  const used = SIDES.filter((side) => marginal[side] !== undefined);
  const only = used.length === 1 ? used[0] : undefined;
  const lines = Math.max(1, ...parts.map((part) => part.length));
  const ruledLine = marginal.line ? (name === 'header' ? lines - 1 : 0) : undefined;
  let xml = '';
  for (let line = 0; line < lines; line++) {
    const [left = '', center = '', right = ''] = parts.map((part) => part[line] ?? '');
    const content = only ? left + center + right : tabbed(left, center, right);
    const style = lineStyle(name, line === ruledLine, only, styles);
    xml += element('text:p', { 'text:style-name': style }, content);
  }
  return xml;
}

/** About how high a header or footer is, in millimetres. */
export function marginalHeight(marginal: Marginal, { size }: DocumentStyle): number {
  const heights = SIDES.map((side) => {
    const content = marginal[side] ?? [];
    const parts = Array.isArray(content) ? content : [content];
    const texts = parts.map((part) => (typeof part === 'string' ? part : (part.text ?? '')));
    const sizes = parts.map((part) => (typeof part === 'string' ? 0 : (part.size ?? 0)));
    return texts.join('').split(LINE_END).length * Math.max(size * SMALL, ...sizes) * LINE_HEIGHT;
  });
  return Math.max(...heights) * MM_PER_POINT + (marginal.line ? RULE_HEIGHT : 0);
}

/** The tab stops of headers and footers: the middle and the right end of the text. */
export function marginalTabStops(textWidth: number): string {
  const stops = [
    { 'style:position': mm(textWidth / 2), 'style:type': 'center' },
    { 'style:position': mm(textWidth), 'style:type': 'right' },
  ];
  return element('style:tab-stops', {}, stops.map((stop) => element('style:tab-stop', stop)).join(''));
}

function tabbed(left: string, center: string, right: string): string {
  const tab = '<text:tab/>';
  if (right !== '') return left + tab + center + tab + right;
  return center === '' ? left : left + tab + center;
}

function lineStyle(
  name: MarginalName,
  ruled: boolean,
  align: (typeof SIDES)[number] | undefined,
  styles: Styles,
): string {
  const { style, ruledSide } = NAMES[name];
  return paragraphStyle(styles, style, {
    'fo:text-align': align === 'left' ? undefined : textAlign(align),
    [`fo:border-${ruledSide}`]: ruled ? lineValue() : undefined,
    [`fo:padding-${ruledSide}`]: ruled ? mm(RULE_PADDING) : undefined,
  });
}
