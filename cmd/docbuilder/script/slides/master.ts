import type { Slide } from '../../../../src/common/generated/script.ts';
import { RIGHT_TO_LEFT } from '../script-groups.ts';
import { properties } from '../styles.ts';
import { element, paragraphText } from '../xml.ts';
import { type Deck, getBackground } from './deck.ts';
import { placeholder, placeholderLook, solid } from './frames.ts';
import { type Box, boxAttributes, type Layout, MASTERS, pageProperties } from './layouts.ts';
import { SIZES } from './master-styles.ts';
import { notesPage } from './notes.ts';
import { paragraph } from './paragraph.ts';
import { readable, themeColors, visible } from './theme.ts';

const LAYER = 'backgroundobjects';
/** Readable on white as well as on dark; where it is not, white or black is taken. */
const MARGINAL_COLOR = '#7A7A7A';

/** The layouts of these slides, one for each master page, in the order of their first use. */
export function usedLayouts(slides: readonly Slide[]): Layout[] {
  const used = new Map<string, Layout>();
  for (const { layout } of slides) if (!used.has(MASTERS[layout])) used.set(MASTERS[layout], layout);
  return [...used.values()];
}

/** A `style:master-page`: its placeholders, what is drawn behind them, footer and slide number. */
export function masterPage(layout: Layout, deck: Deck): string {
  const { theme, places, styles } = deck;
  const name = MASTERS[layout];
  const background = getBackground({ layout }, theme);
  const attributes = {
    'style:name': name,
    'style:page-layout-name': styles.other('PM', 'style:page-layout', pageProperties(theme, 'landscape')),
    'draw:style-name': styles.style('drawing-page', properties('drawing-page', solid(background))),
  };
  const title = (box: Box) => placeholder('title', `${name}-title`, box, '', LAYER);
  const text = {
    Title: () => title(places.openingTitle) + subtitle(name, places.openingSubtitle),
    Section: () => title(places.openingTitle) + subtitle(name, places.openingSubtitle),
    Content: () => title(places.title) + placeholder('outline', `${name}-outline1`, places.content, '', LAYER),
    Blank: () => '',
  }[name];
  const content = [
    themeColors(name, theme),
    ornament(layout, background, deck),
    text(),
    marginals(name, background, deck),
    notesPage(name, deck),
  ];
  return element('style:master-page', attributes, content.join(''));
}

function subtitle(name: string, box: Box): string {
  return placeholder('subtitle', `${name}-subtitle`, box, '', LAYER);
}

/** The band or rule in the accent colour that a layout has beside its text. */
function ornament(layout: Layout, background: string, { theme, places, styles }: Deck): string {
  const { band, rule, openingRule } = places;
  const box = { title: band, content: rule, two_columns: rule, section: openingRule, blank: undefined }[layout];
  if (!box) return '';
  const look = { ...solid(visible(theme.accent, background)), 'draw:stroke': 'none' };
  const style = styles.style('graphic', properties('graphic', look));
  return element('draw:rect', { 'draw:style-name': style, 'draw:layer': LAYER, ...boxAttributes(box) });
}

/** Footer and slide number. Whether a slide shows them, it says itself. */
function marginals(name: string, background: string, { theme, places, styles }: Deck): string {
  const look = { font: theme.font, size: SIZES.footer, color: readable(MARGINAL_COLOR, background) };
  const field = (kind: 'footer' | 'page-number', align: 'left' | 'right', box: Box, content: string) => {
    const parent = { 'style:parent-style-name': `${name}-backgroundobjects` };
    const style = styles.style('presentation', placeholderLook('middle', align, look), parent);
    return placeholder(kind, style, box, paragraph(content, { ...look, align }, styles), LAYER);
  };
  return (
    field('footer', 'left', places.footer, footerText(theme.footer)) +
    field('page-number', 'right', places.number, '<text:page-number>&lt;number&gt;</text:page-number>')
  );
}

/**
 * The field that shows each slide's own footer. Impress draws a field in one piece, which comes out garbled where its
 * font lacks letters and directions change: such a footer, the same on all slides, is plain text.
 */
function footerText(footer: string | undefined): string {
  return footer !== undefined && RIGHT_TO_LEFT.test(footer) ? paragraphText(footer) : '<presentation:footer/>';
}
