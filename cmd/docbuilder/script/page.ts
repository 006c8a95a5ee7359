import { VIETNAM_OFFSET_MS } from '../../../src/common/clock.ts';
import type {
  MarginalInline,
  MarginalPart,
  Meta,
  Page,
  Paper,
  PrintSetup,
} from '../../../src/common/generated/script.ts';
import { getLanguage } from './document.ts';
import { inline, span } from './inline.ts';
import type { Styles } from './styles.ts';
import { type Attributes, escapeXml, mm } from './xml.ts';

/** Width and height upright, in millimetres. B5 is ISO 216's. */
const SIZES: Record<Extract<Paper, string>, readonly [width: number, height: number]> = {
  A3: [297, 420],
  A4: [210, 297],
  A5: [148, 210],
  B5: [176, 250],
  Letter: [215.9, 279.4],
  Legal: [215.9, 355.6],
};
export const DEFAULT_MARGIN = 25;
const PRINT_MARGINS = { top: 19, right: 18, bottom: 19, left: 18 };
/** Without this room for text, in millimetres, LibreOffice loses the text or never ends. */
export const SMALLEST_TEXT = 10;

/** Paper, margins and the room for text, in millimetres. */
export type PageGeometry = ReturnType<typeof pageGeometry>;

type PaperGeometry = Pick<PageGeometry, 'width' | 'height' | 'margins'>;

/** The page of a script; A4 upright by default. */
export function pageGeometry({ size = 'A4', orientation, margins = {} }: Page = {}) {
  const [width, height] = turned(size, orientation);
  const { top = DEFAULT_MARGIN, right = DEFAULT_MARGIN, bottom = DEFAULT_MARGIN, left = DEFAULT_MARGIN } = margins;
  return {
    width,
    height,
    margins: { top, right, bottom, left },
    textWidth: width - left - right,
    textHeight: height - top - bottom,
  };
}

/** The page of a sheet. */
export function printGeometry(setup: PrintSetup = {}): PageGeometry {
  return pageGeometry({ ...setup, margins: { ...PRINT_MARGINS, ...setup.margins } });
}

/** A size in millimetres keeps its own orientation unless the script names one. */
function turned(size: Paper, orientation: Page['orientation']): readonly [width: number, height: number] {
  const [width, height] = typeof size === 'string' ? SIZES[size] : [size.width, size.height];
  if (orientation === undefined) return [width, height];
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  return orientation === 'landscape' ? [long, short] : [short, long];
}

/** Paper and margins as attributes of `style:page-layout-properties`. */
export function paperAttributes({ width, height, margins }: PaperGeometry): Attributes {
  return {
    'fo:page-width': mm(width),
    'fo:page-height': mm(height),
    'style:print-orientation': width > height ? 'landscape' : 'portrait',
    'fo:margin-top': mm(margins.top),
    'fo:margin-right': mm(margins.right),
    'fo:margin-bottom': mm(margins.bottom),
    'fo:margin-left': mm(margins.left),
  };
}

export interface FieldValues {
  title: string;
  /** The day in Vietnam, written in the document's language. It is slow, and no field: that would be the day of opening. */
  date: () => string;
}

export function fieldValues(meta: Meta = {}, now: Date): FieldValues {
  const format = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' } as const;
  const date = () => new Intl.DateTimeFormat(getLanguage(meta), format).format(now.getTime() + VIETNAM_OFFSET_MS);
  return { title: meta.title ?? '', date };
}

export const SIDES = ['left', 'center', 'right'] as const;

/** The parts of one side of a header or footer in their long form. */
export function marginalParts(side: MarginalInline | undefined): MarginalPart[] {
  return [side ?? []].flat().map((part) => (typeof part === 'string' ? { text: part } : part));
}

/** The lines of one side of a header or footer, each as the content of a paragraph. */
export function marginalLines(content: MarginalInline | undefined, values: FieldValues, styles: Styles): string[] {
  if (content === undefined) return [];
  const lines = [''];
  for (const { field, text = '', ...look } of marginalParts(content)) {
    const [first = '', ...rest] =
      field === undefined
        ? text.split(/\r\n?|\n/).map((line) => inline({ ...look, text: line }, styles))
        : [span(fieldXml(field, values), look, styles)];
    lines.push(`${lines.pop()}${first}`, ...rest);
  }
  return lines;
}

function fieldXml(field: NonNullable<MarginalPart['field']>, { title, date }: FieldValues): string {
  if (field === 'date') return escapeXml(date());
  return {
    page: '<text:page-number text:select-page="current">1</text:page-number>',
    pages: '<text:page-count>1</text:page-count>',
    title: `<text:title>${escapeXml(title)}</text:title>`,
  }[field];
}
