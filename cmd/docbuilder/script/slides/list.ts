import type { ListItem } from '../../../../src/common/generated/script.ts';
import { fontFamily, type Look } from '../inline.ts';
import { itemParts } from '../parts.ts';
import { properties, type Styles } from '../styles.ts';
import { element, MM_PER_POINT, mm } from '../xml.ts';
import { paragraphStyle, runs } from './boxes.ts';
import type { Measured } from './fit.ts';

export interface ListLook {
  ordered: boolean;
  /** Colour of bullets and numbers. */
  color: string;
  /** Font size of the first level, in points. */
  size: number;
  /** Deeper levels are not smaller. */
  even?: boolean;
  font: string;
}

/** Sizes of the levels as multiples of the first. */
const SCALES = [1, 0.84, 0.75];
const INDENT_EMS = 1.1;
const SPACE_BEFORE_EMS = 0.3;
/** Every reader has it or a twin, with the bullets in it. */
const BULLET_FONT = 'Arial';
const BULLETS = '•–•';
/** LibreOffice's outline has ten levels; a script uses three. */
const LEVELS = 10;

/** Items as `text:list`. @param letters look of their text, without its size */
export function list(items: readonly ListItem[], look: ListLook, letters: Look, styles: Styles): string {
  const paragraphs = SCALES.map((_, level) => {
    const size = look.even ? look.size : levelSize(look.size, level);
    return paragraphStyle({ ...letters, size, above: spaceBefore(look.size, level) }, styles);
  });
  const listStyle = (ordered: boolean) => styles.other('L', 'text:list-style', listLevels({ ...look, ordered }));
  const build = (some: readonly ListItem[], ordered: boolean, level: number): string => {
    let content = '';
    for (const item of some) {
      const { text, items: below, ordered: otherwise } = itemParts(item);
      const own = element('text:p', { 'text:style-name': paragraphs[level] }, runs(text, styles, letters));
      content += element('text:list-item', {}, own + (below ? build(below, otherwise ?? ordered, level + 1) : ''));
    }
    return element('text:list', { 'text:style-name': listStyle(ordered) }, content);
  };
  return build(items, look.ordered, 0);
}

/** The items in reading order. */
export function measuredItems(items: readonly ListItem[], bold = false, level = 0): Measured[] {
  return items.flatMap((item) => {
    const { text, items: below = [] } = itemParts(item);
    const scale = SCALES[level] ?? 1;
    const own = { text, bold, scale, indentEms: (level + 1) * INDENT_EMS, spaceBeforeEms: SPACE_BEFORE_EMS };
    return [own, ...measuredItems(below, bold, level + 1)];
  });
}

/** The content of a `text:list-style`. */
export function listLevels({ ordered, color, size, font }: ListLook): string {
  const indent = size * INDENT_EMS * MM_PER_POINT;
  return Array.from({ length: LEVELS }, (_, level) => {
    const place = { 'text:space-before': mm(level * indent), 'text:min-label-width': mm(indent) };
    const family = fontFamily(ordered ? font : BULLET_FONT);
    const letters = { 'fo:color': color, 'fo:font-size': '100%', 'fo:font-family': family };
    const kind = ordered ? 'number' : 'bullet';
    const mark = ordered
      ? { 'style:num-format': '1', 'style:num-suffix': '.' }
      : { 'text:bullet-char': BULLETS[level] ?? '•' };
    const content = properties('list-level', place) + properties('text', letters);
    return element(`text:list-level-style-${kind}`, { 'text:level': level + 1, ...mark }, content);
  }).join('');
}

/** Font size of a level (from 0) in points. */
export function levelSize(size: number, level: number): number {
  return Math.max(1, Math.round(size * (SCALES[level] ?? 0.75)));
}

/** Value of `fo:margin-top` of a level's items. */
export function spaceBefore(size: number, level: number): string {
  return mm(levelSize(size, level) * SPACE_BEFORE_EMS * MM_PER_POINT);
}
