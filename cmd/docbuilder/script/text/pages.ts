import type { Marginal, Script } from '../../../../src/common/generated/script.ts';
import type { FieldValues, PageGeometry } from '../page.ts';
import { fieldValues, marginalLines, marginalParts, paperAttributes, SIDES } from '../page.ts';
import { properties, type Styles, textAlign } from '../styles.ts';
import { lineValue } from '../table.ts';
import { element, MM_PER_POINT, mm } from '../xml.ts';
import { paragraphStyle } from './paragraph.ts';
import { SMALL } from './styles.ts';

const LAYOUT = 'PageLayout';
/** Millimetres between a header or footer and the text. */
const DISTANCE = 2.5;
/** Height of a line as a multiple of the font size, in the highest fonts. */
const LINE_HEIGHT = 1.37;
const RULE_PADDING = 1;
const RULE_HEIGHT = RULE_PADDING + 0.2;
const LINE_END = /\r\n?|\n/;

/** The page style of a text document. @param size of the text's letters in points */
export function pageStyle(script: Script, now: Date, page: PageGeometry, size: number, styles: Styles) {
  const values = fieldValues(script.meta, now);
  const header = area('header', script.header, page.margins.top, size, values, styles);
  const footer = area('footer', script.footer, page.margins.bottom, size, values, styles);
  const margins = { ...page.margins, top: header.rest, bottom: footer.rest };
  const paper = properties('page-layout', { ...paperAttributes({ ...page, margins }), 'style:num-format': '1' });
  const names = { 'style:name': 'Standard', 'style:page-layout-name': LAYOUT };
  return {
    layout: element('style:page-layout', { 'style:name': LAYOUT }, paper + header.style + footer.style),
    master: element('style:master-page', names, header.content + footer.content),
    /** Millimetres that header and footer take from the text, where they are higher than their margins. */
    taken: header.taken + footer.taken,
  };
}

/**
 * A header or footer lies in the half of its margin beside the text, or in more where it needs more.
 * @returns it, its style, the `rest` of the margin, and the height `taken` from the text
 */
function area(
  name: 'header' | 'footer',
  marginal: Marginal | undefined,
  margin: number,
  size: number,
  values: FieldValues,
  styles: Styles,
) {
  if (!marginal) return { rest: margin, taken: 0, style: '', content: '' };
  const needed = marginalHeight(marginal, size);
  const height = Math.min(margin, Math.max(margin / 2, needed + DISTANCE));
  const spare = Math.max(0, height - needed);
  const look = properties('header-footer', {
    'fo:min-height': mm(height),
    'fo:margin-bottom': name === 'header' ? mm(Math.min(DISTANCE, spare)) : undefined,
    'fo:margin-top': name === 'footer' ? mm(spare) : undefined,
    'style:dynamic-spacing': 'false',
  });
  return {
    rest: margin - height,
    taken: Math.max(0, needed - margin),
    style: element(`style:${name}-style`, {}, look),
    content: element(`style:${name}`, {}, marginalParagraphs(name, marginal, values, styles)),
  };
}

/** About how high a header or footer is, in millimetres. */
function marginalHeight(marginal: Marginal, size: number): number {
  const heights = SIDES.map((side) => {
    const parts = marginalParts(marginal[side]);
    const text = parts.map((part) => part.text ?? '').join('');
    return text.split(LINE_END).length * Math.max(size * SMALL, ...parts.map((part) => part.size ?? 0)) * LINE_HEIGHT;
  });
  return Math.max(...heights) * MM_PER_POINT + (marginal.line ? RULE_HEIGHT : 0);
}

/** A paragraph for each line, with its sides at tab stops. A side that stands alone is aligned instead: it may wrap. */
function marginalParagraphs(
  name: 'header' | 'footer',
  marginal: Marginal,
  values: FieldValues,
  styles: Styles,
): string {
  const parts = SIDES.map((side) => marginalLines(marginal[side], values, styles));
  const used = SIDES.filter((side) => marginal[side] !== undefined);
  const only = used.length === 1 ? used[0] : undefined;
  const count = Math.max(1, ...parts.map((part) => part.length));
  const [ruled, ruledSide, parent] = name === 'header' ? [count - 1, 'bottom', 'Header'] : [0, 'top', 'Footer'];
  const lines = Array.from({ length: count }, (_, index) => {
    const [left = '', center = '', right = ''] = parts.map((part) => part[index] ?? '');
    const rule = marginal.line && index === ruled;
    const style = paragraphStyle(styles, parent, {
      'fo:text-align': only === 'left' ? undefined : textAlign(only),
      [`fo:border-${ruledSide}`]: rule ? lineValue() : undefined,
      [`fo:padding-${ruledSide}`]: rule ? mm(RULE_PADDING) : undefined,
    });
    return element('text:p', { 'text:style-name': style }, only ? left + center + right : tabbed(left, center, right));
  });
  return lines.join('');
}

function tabbed(left: string, center: string, right: string): string {
  const tab = '<text:tab/>';
  if (right !== '') return left + tab + center + tab + right;
  return center === '' ? left : left + tab + center;
}
