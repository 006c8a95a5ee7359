import type { Marginal, MarginalInline, Meta, PrintSetup } from '../../../../src/common/generated/script.ts';
import type { FieldValues } from '../page.ts';
import { fieldValues, marginalLines, marginalParts, paperAttributes, printGeometry, SIDES } from '../page.ts';
import { properties, type Styles } from '../styles.ts';
import { element, MM_PER_POINT, mm } from '../xml.ts';

/** Millimetres. */
const LINE_HEIGHT = 5;
const LEADING = 1.3;
const SPACING = 2.5;
const AUTOMATIC = '#000000';
/** Smallest distance of a header from the paper's edge. */
const EDGE = 5;

/** The master page of a sheet. A header or footer stands in the margin of the cells, which grows if it is too small. */
export function masterPage(name: string, setup: PrintSetup = {}, meta: Meta, now: Date, styles: Styles): string {
  const { header, footer, fit_width: fitWidth, fit_height: fitHeight } = setup;
  const page = printGeometry(setup);
  const values = fieldValues(meta, now);
  const top = marginalXml('header', header, page.margins.top, values, styles);
  const bottom = marginalXml('footer', footer, page.margins.bottom, values, styles);
  const margins = { ...page.margins, top: top.margin, bottom: bottom.margin };
  const isFitted = fitWidth !== undefined || fitHeight !== undefined;
  const layout = properties('page-layout', {
    ...paperAttributes({ ...page, margins }),
    'style:print': `${setup.gridlines ? 'grid ' : ''}charts drawings objects zero-values`,
    'style:print-page-order': 'ttb',
    'style:table-centering': setup.center ? 'horizontal' : undefined,
    'style:scale-to-X': isFitted ? (fitWidth ?? 0) : undefined,
    'style:scale-to-Y': isFitted ? (fitHeight ?? 0) : undefined,
  });
  const layoutName = styles.other('Pm', 'style:page-layout', layout + top.style + bottom.style);
  const attributes = { 'style:name': name, 'style:page-layout-name': layoutName };
  return element('style:master-page', attributes, top.content + bottom.content);
}

/** A header or footer, its style, and its own distance from the paper's edge in millimetres. */
function marginalXml(
  kind: 'header' | 'footer',
  marginal: Marginal | undefined,
  space: number,
  values: FieldValues,
  styles: Styles,
) {
  const tag = `style:${kind}`;
  const styleTag = `style:${kind}-style`;
  // By default LibreOffice prints the sheet's name and page numbers.
  if (!marginal) {
    return { margin: space, style: element(styleTag), content: element(tag, { 'style:display': 'false' }) };
  }
  const sides = SIDES.map((side) => marginalLines(written(marginal[side], values.title), values, styles));
  const needed = lineHeight(marginal) * Math.max(1, ...sides.map((lines) => lines.length)) + SPACING;
  const margin = Math.max(space - needed, Math.min(space, EDGE));
  const inner = kind === 'header' ? 'bottom' : 'top';
  const style = properties('header-footer', {
    'svg:height': mm(Math.max(space - margin, needed)),
    'style:dynamic-spacing': 'false',
    'fo:margin-left': '0mm',
    'fo:margin-right': '0mm',
    [`fo:margin-${inner}`]: mm(SPACING),
    [`fo:border-${inner}`]: marginal.line ? '0.5pt solid #000000' : undefined,
    [`fo:padding-${inner}`]: marginal.line ? '0.5mm' : undefined,
  });
  const regions = sides.map((lines, index) => {
    const paragraphs = lines.map((line) => `<text:p>${line}</text:p>`).join('');
    return element(`style:region-${SIDES[index]}`, {}, paragraphs || '<text:p/>');
  });
  return { margin, style: element(styleTag, {}, style), content: element(tag, {}, regions.join('')) };
}

function lineHeight(marginal: Marginal): number {
  const sizes = SIDES.flatMap((side) => marginalParts(marginal[side])).map(({ size }) => size ?? 0);
  return Math.max(LINE_HEIGHT, ...sizes.map((size) => size * MM_PER_POINT * LEADING));
}

/**
 * The title as text, because headers of xlsx have no field for it. With one coloured part all get a colour: LibreOffice
 * writes the automatic colour behind another as white.
 */
function written(content: MarginalInline | undefined, title: string): MarginalInline | undefined {
  if (content === undefined) return undefined;
  const parts = marginalParts(content).map(({ field, ...look }) => {
    if (field === 'title') return { ...look, text: title };
    return field ? { ...look, field } : look;
  });
  const isColored = parts.some(({ color }) => color !== undefined);
  return isColored ? parts.map((part) => ({ color: AUTOMATIC, ...part })) : parts;
}
