import type { Margins, Page, Paper } from '../../../src/common/generated/script.ts';
import { type Attributes, mm } from './xml.ts';

/** Width and height in millimetres, held upright. B5 is that of ISO 216. */
const SIZES: Record<Extract<Paper, string>, readonly [width: number, height: number]> = {
  A3: [297, 420],
  A4: [210, 297],
  A5: [148, 210],
  B5: [176, 250],
  Letter: [215.9, 279.4],
  Legal: [215.9, 355.6],
};
const DEFAULT_MARGIN = 25;
/** Margins leave at least this much of the paper for text. */
const SMALLEST_TEXT = 10;

/** A page in millimetres: its paper, its margins, and what they leave for text. */
export interface Sheet {
  width: number;
  height: number;
  margins: Required<Margins>;
  textWidth: number;
  textHeight: number;
}

/** The paper that a script asks for; A4 upright without a word about it. */
export function toSheet({ size = 'A4', orientation, margins = {} }: Page = {}): Sheet {
  const [width, height] = turned(size, orientation);
  const { top = DEFAULT_MARGIN, right = DEFAULT_MARGIN, bottom = DEFAULT_MARGIN, left = DEFAULT_MARGIN } = margins;
  return {
    width,
    height,
    margins: { top, right, bottom, left },
    textWidth: Math.max(width - left - right, SMALLEST_TEXT),
    textHeight: Math.max(height - top - bottom, SMALLEST_TEXT),
  };
}

/** Paper and margins as attributes of `style:page-layout-properties`. */
export function paperAttributes({ width, height, margins }: Sheet): Attributes {
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

/** A size in millimetres keeps its own orientation unless the script names one. */
function turned(size: Paper, orientation: Page['orientation']): readonly [width: number, height: number] {
  const [width, height] = typeof size === 'string' ? SIZES[size] : [size.width, size.height];
  if (orientation === undefined) return [width, height];
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  return orientation === 'landscape' ? [long, short] : [short, long];
}
