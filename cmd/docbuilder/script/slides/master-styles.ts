import type { Look } from '../inline.ts';
import { namedStyle, properties } from '../styles.ts';
import { element } from '../xml.ts';
import { getBackground } from './deck.ts';
import { placeholderLook, solid } from './frames.ts';
import { type Layout, MASTERS } from './layouts.ts';
import { type ListLook, levelSize, listLevels, spaceBefore } from './list.ts';
import { type Theme, visible } from './theme.ts';

/** Font sizes of the placeholders in points; `fit.ts` makes them smaller where the text needs it. */
export const SIZES = { title: 32, openingTitle: 44, subtitle: 24, content: 24, column: 20, footer: 11, notes: 12 };

const OUTLINE_LEVELS = 9;

/**
 * The named styles of a master page's placeholders. LibreOffice finds them by their names: that of the master page,
 * a hyphen, and what they are for.
 */
export function masterStyles(layout: Layout, theme: Theme): string {
  const master = MASTERS[layout];
  const background = getBackground({ layout }, theme);
  const color = theme.textOn(background);
  const opening = layout === 'title' || layout === 'section';
  const title: Look = {
    font: theme.titleFont,
    size: opening ? SIZES.openingTitle : SIZES.title,
    color: theme.titleOn(background),
    bold: true,
  };
  const subtitle: Look = { font: theme.font, size: SIZES.subtitle, color };
  const notes: Look = { font: theme.font, size: SIZES.notes, color: '#000000' };
  const list = { ordered: false, color: visible(theme.accent, background), size: SIZES.content, font: theme.font };
  return [
    style(`${master}-title`, placeholderLook('bottom', 'left', title)),
    style(`${master}-subtitle`, placeholderLook('top', 'left', subtitle)),
    style(`${master}-notes`, placeholderLook('top', 'left', notes)),
    ...outlineStyles(master, list, color),
    style(`${master}-background`, properties('graphic', { ...solid(background), 'draw:stroke': 'none' })),
    style(`${master}-backgroundobjects`, properties('graphic', { 'draw:shadow': 'hidden' })),
  ].join('');
}

/** One style for each level; each inherits from the one above it. */
function outlineStyles(master: string, list: ListLook, color: string): string[] {
  const levels = element('text:list-style', { 'style:name': `${master}-outline1` }, listLevels(list));
  return Array.from({ length: OUTLINE_LEVELS }, (_, level) => {
    const look: Look = { font: list.font, size: levelSize(list.size, level), color };
    const margins = {
      'fo:margin-top': spaceBefore(list.size, level),
      'fo:margin-left': '0mm',
      'fo:text-indent': '0mm',
    };
    const content = placeholderLook('top', 'left', look, level === 0 ? levels : '') + properties('paragraph', margins);
    const parent = level === 0 ? {} : { 'style:parent-style-name': `${master}-outline${level}` };
    return style(`${master}-outline${level + 1}`, content, parent);
  });
}

function style(name: string, content: string, attributes = {}): string {
  return namedStyle('presentation', name, name, content, attributes);
}
