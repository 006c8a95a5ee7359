import type { Script } from '../../../../src/common/generated/script.ts';
import { dateText } from '../marginal.ts';
import { getLanguage } from '../metadata.ts';
import { paperAttributes, type Sheet } from '../paper.ts';
import { properties, type Styles } from '../styles.ts';
import { element, mm } from '../xml.ts';
import { type MarginalName, marginalHeight, marginalParagraphs } from './marginal.ts';
import type { DocumentStyle } from './style.ts';

const LAYOUT = 'PageLayout';
/** Between a header or footer and the text; millimetres. */
const DISTANCE = 2.5;

/** The one page style of a text document: paper and margins, header and footer. */
export interface PageStyle {
  /** `style:page-layout`, for the automatic styles. */
  layout: string;
  /** `style:master-page`. */
  master: string;
  /** Height in millimetres that header and footer take from the text where they are higher than their margins. */
  taken: number;
}

/** Makes the page style; the automatic styles of header and footer go into `styles`. */
export function pageStyle(script: Script, now: Date, sheet: Sheet, style: DocumentStyle, styles: Styles): PageStyle {
  const values = { title: script.meta?.title ?? '', date: dateText(now, getLanguage(script.meta)) };
  const toArea = (name: MarginalName, margin: number): Area => {
    const marginal = script[name];
    if (!marginal) return { rest: margin, taken: 0, style: '', content: '' };
    const content = element(`style:${name}`, {}, marginalParagraphs(name, marginal, values, styles));
    return { ...area(name, margin, marginalHeight(marginal, style)), content };
  };
  const header = toArea('header', sheet.margins.top);
  const footer = toArea('footer', sheet.margins.bottom);
  const margins = { ...sheet.margins, top: header.rest, bottom: footer.rest };
  const paper = { ...paperAttributes({ ...sheet, margins }), 'style:num-format': '1' };
  const names = { 'style:name': 'Standard', 'style:page-layout-name': LAYOUT };
  return {
    layout: element(
      'style:page-layout',
      { 'style:name': LAYOUT },
      properties('page-layout', paper) + header.style + footer.style,
    ),
    master: element('style:master-page', names, header.content + footer.content),
    taken: header.taken + footer.taken,
  };
}

interface Area {
  /** The rest of the margin. */
  rest: number;
  /** The height that it takes from the text. */
  taken: number;
  /** `style:header-style` or `style:footer-style`. */
  style: string;
  content: string;
}

/**
 * A header or footer lies within its margin, so that text begins where the margin says: in the half beside the text,
 * or more where its own text needs more. That of a header stands at the upper end of it, that of a footer at the lower.
 */
function area(name: MarginalName, margin: number, needed: number): Omit<Area, 'content'> {
  const height = Math.min(margin, Math.max(margin / 2, needed + DISTANCE));
  const spare = Math.max(0, height - needed);
  const content = properties('header-footer', {
    'fo:min-height': mm(height),
    [name === 'header' ? 'fo:margin-bottom' : 'fo:margin-top']: mm(
      name === 'header' ? Math.min(DISTANCE, spare) : spare,
    ),
    'style:dynamic-spacing': 'false',
  });
  const taken = Math.max(0, needed - margin);
  return { rest: margin - height, taken, style: element(`style:${name}-style`, {}, content) };
}
