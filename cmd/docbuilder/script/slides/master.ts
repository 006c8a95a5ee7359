import type { Slide } from '../../../../src/common/generated/script.ts';
import type { Size } from '../frame.ts';
import type { Look } from '../inline.ts';
import { paperAttributes } from '../page.ts';
import { RIGHT_TO_LEFT } from '../script-groups.ts';
import { namedStyle, properties, type Styles } from '../styles.ts';
import { element, paragraphText } from '../xml.ts';
import { fill, paragraphXml, placeholder, placeholderLook } from './boxes.ts';
import { type Box, boxAttributes, type Deck, getBackground, type Layout, MASTERS, SIZES } from './layouts.ts';
import { type ListLook, levelSize, listLevels, spaceBefore } from './list.ts';
import { readable, type Theme, themeColors, visible } from './theme.ts';

const LAYER = 'backgroundobjects';
/** Footers and slide numbers have it where it is readable. */
const MARGINAL_COLOR = '#7A7A7A';

/** The first used layout of each master page. */
export function usedLayouts(slides: readonly Slide[]): Layout[] {
  const used = new Map<string, Layout>();
  for (const { layout } of slides) if (!used.has(MASTERS[layout])) used.set(MASTERS[layout], layout);
  return [...used.values()];
}

/** The `style:master-page` of a layout. */
export function masterPage(layout: Layout, deck: Deck): string {
  const { theme, places, styles } = deck;
  const name = MASTERS[layout];
  const background = getBackground({ layout }, theme);
  const attributes = {
    'style:name': name,
    'style:page-layout-name': pageLayout(theme, styles),
    'draw:style-name': styles.of('drawing-page', fill(background)),
  };
  const area = (kind: 'title' | 'subtitle' | 'outline', box: Box, style: string = kind) =>
    placeholder(kind, `${name}-${style}`, box, '', LAYER);
  const opening = area('title', places.openingTitle) + area('subtitle', places.openingSubtitle);
  const content = area('title', places.title) + area('outline', places.content, 'outline1');
  const areas = { Title: opening, Section: opening, Content: content, Blank: '' }[name];
  const behind = themeColors(name, theme) + ornament(layout, background, deck);
  const below = marginals(name, background, deck) + notesPage(name, deck);
  return element('style:master-page', attributes, behind + areas + below);
}

function ornament(layout: Layout, background: string, { theme, places, styles }: Deck): string {
  const { band, rule, openingRule } = places;
  const box = { title: band, content: rule, two_columns: rule, section: openingRule, blank: undefined }[layout];
  if (!box) return '';
  const style = styles.of('graphic', { ...fill(visible(theme.accent, background)), 'draw:stroke': 'none' });
  return element('draw:rect', { 'draw:style-name': style, 'draw:layer': LAYER, ...boxAttributes(box) });
}

/** Footer and slide number; each slide has its own switches for them. */
function marginals(name: string, background: string, { theme, places, styles }: Deck): string {
  const look = { font: theme.font, size: SIZES.footer, color: readable(MARGINAL_COLOR, background) };
  const field = (kind: 'footer' | 'page-number', align: 'left' | 'right', box: Box, content: string) => {
    const parent = { 'style:parent-style-name': `${name}-backgroundobjects` };
    const style = styles.style('presentation', placeholderLook('middle', align, look), parent);
    return placeholder(kind, style, box, paragraphXml(content, { ...look, align }, styles), LAYER);
  };
  const number = '<text:page-number>&lt;number&gt;</text:page-number>';
  const footer = field('footer', 'left', places.footer, footerText(theme.footer));
  return footer + field('page-number', 'right', places.number, number);
}

/** A field, or plain text where directions change: Impress draws a field as one piece, garbled if its font lacks letters. */
function footerText(footer: string | undefined): string {
  return footer !== undefined && RIGHT_TO_LEFT.test(footer) ? paragraphText(footer) : '<presentation:footer/>';
}

/** A4 upright, in millimetres. */
const NOTES_PAGE = { width: 210, height: 297 };
const TEXT = { x: 20, y: 140, width: 170, height: 135 };
const THUMBNAIL = { x: 25, y: 25, width: 160 };

/**
 * `presentation:notes`: a picture of the slide and below it the notes, a paragraph for each line.
 * @param master name of the slide's master page
 * @param notes absent on the notes page of a master
 */
export function notesPage(master: string, { theme, styles }: Deck, notes?: string): string {
  const height = (THUMBNAIL.width * theme.height) / theme.width;
  const picture = element('draw:page-thumbnail', {
    'draw:layer': notes === undefined ? 'backgroundobjects' : 'layout',
    ...boxAttributes({ ...THUMBNAIL, height: Math.min(height, 105) }),
    'presentation:class': 'page',
  });
  const lines = notes?.split(/\r\n?|\n/).map((line) => `<text:p>${paragraphText(line)}</text:p>`) ?? [];
  const style = styles.style('presentation', '', { 'style:parent-style-name': `${master}-notes` });
  const attributes = notes === undefined ? { 'style:page-layout-name': pageLayout(NOTES_PAGE, styles) } : {};
  return element('presentation:notes', attributes, picture + placeholder('notes', style, TEXT, lines.join('')));
}

function pageLayout({ width, height }: Size, styles: Styles): string {
  const paper = paperAttributes({ width, height, margins: { top: 0, right: 0, bottom: 0, left: 0 } });
  return styles.other('PM', 'style:page-layout', properties('page-layout', paper));
}

const OUTLINE_LEVELS = 9;

/** The named styles of a master page's placeholders. LibreOffice finds them by names such as `Title-subtitle`. */
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
    style(`${master}-background`, properties('graphic', { ...fill(background), 'draw:stroke': 'none' })),
    style(`${master}-backgroundobjects`, properties('graphic', { 'draw:shadow': 'hidden' })),
  ].join('');
}

/** A style for each level; each inherits from the one above. */
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
    const parent = level === 0 ? undefined : `${master}-outline${level}`;
    return style(`${master}-outline${level + 1}`, content, parent);
  });
}

function style(name: string, content: string, parent?: string): string {
  return namedStyle('presentation', name, content, { 'style:parent-style-name': parent });
}
