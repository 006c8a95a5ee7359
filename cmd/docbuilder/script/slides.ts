import type { Inline, Slide, SlideContent } from '../../../src/common/generated/script.ts';
import { type ContentBuilder, languageAttributes } from './document.ts';
import { INVISIBLE } from './frame.ts';
import { linkStyle, lookAttributes, toRuns } from './inline.ts';
import { fill, paragraph, placeholder } from './slides/boxes.ts';
import { ARROW_MARKER, elements } from './slides/elements.ts';
import { fittingSize } from './slides/fit.ts';
import type { Box, Deck } from './slides/layouts.ts';
import { getBackground, getPlaces, MASTERS, PAGE_LAYOUTS, pageLayouts, SIZES } from './slides/layouts.ts';
import { list, measuredItems } from './slides/list.ts';
import { masterPage, masterStyles, notesPage, usedLayouts } from './slides/master.ts';
import { getTheme, visible } from './slides/theme.ts';
import { namedStyle, properties, Styles } from './styles.ts';
import { element, escapeXml, startTag } from './xml.ts';

const FOOTER = 'footer';
const LONGEST_NAME = 80;
const LAYERS = ['layout', 'background', 'backgroundobjects', 'controls', 'measurelines'];
const SMALLEST_TITLE = 12;

/** A presentation (svcscript `type` = `slides`). */
export const buildSlides: ContentBuilder = (script, { pictures }) => {
  const { meta, slides = [] } = script;
  const theme = getTheme(script);
  const styles = new Styles();
  const deck: Deck = { theme, places: getPlaces(theme), styles, pictures };
  const layouts = usedLayouts(slides);
  const layers = LAYERS.map((name) => element('draw:layer', { 'draw:name': name }));
  const layerSet = element('draw:layer-set', {}, layers.join(''));
  const masters = [layerSet, ...layouts.map((layout) => masterPage(layout, deck))];
  const letters = { ...languageAttributes(meta), ...lookAttributes({ font: theme.font, size: 18 }) };
  const defaults = properties('graphic', INVISIBLE) + properties('text', letters);
  const named = [
    ARROW_MARKER,
    element('style:default-style', { 'style:family': 'graphic' }, defaults),
    namedStyle('graphic', 'standard'),
    linkStyle({ underline: true }),
    ...layouts.map((layout) => masterStyles(layout, theme)),
    pageLayouts(deck.places),
  ];
  return {
    kind: 'presentation',
    body: pages(slides, deck),
    head: () => ({ styles: named.join(''), automatic: styles.xml, masters: masters.join('') }),
  };
};

function* pages(slides: readonly Slide[], deck: Deck): Generator<string> {
  const { footer } = deck.theme;
  if (footer) yield element('presentation:footer-decl', { 'presentation:name': FOOTER }, escapeXml(footer));
  for (const [index, slide] of slides.entries()) yield* page(slide, index, deck);
}

/** In pieces: an element may be very long. */
function* page(slide: Slide, index: number, deck: Deck): Generator<string> {
  const footer = slide.layout === 'title' ? undefined : deck.theme.footer;
  const attributes = {
    'draw:name': getName(slide, index + 1),
    'draw:style-name': pageStyle(slide, footer !== undefined, deck),
    'draw:master-page-name': MASTERS[slide.layout],
    'presentation:presentation-page-layout-name': PAGE_LAYOUTS[slide.layout],
    'presentation:use-footer-name': footer && FOOTER,
  };
  yield startTag('draw:page', attributes);
  yield* placeholders(slide, deck);
  yield* elements(slide, `/slides/${index}`, deck);
  if (slide.notes) yield notesPage(MASTERS[slide.layout], deck, slide.notes);
  yield '</draw:page>';
}

/** The unique name that PDF bookmarks show. */
function getName(slide: Slide, number: number): string {
  const title =
    'title' in slide
      ? toRuns(slide.title)
          .map(({ text }) => text)
          .join('')
      : '';
  const name = title.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME);
  return name === '' ? `Slide ${number}` : `${number}. ${name}`;
}

function pageStyle(slide: Slide, footer: boolean, { theme, styles }: Deck): string {
  return styles.of('drawing-page', {
    'presentation:background-visible': 'true',
    'presentation:background-objects-visible': 'true',
    'presentation:display-footer': String(footer),
    'presentation:display-page-number': String(theme.numbers && slide.layout !== 'title'),
    'presentation:display-date-time': 'false',
    ...(slide.background && fill(slide.background)),
  });
}

/** An empty area keeps its place only beside a filled one. */
function placeholders(slide: Slide, deck: Deck): string[] {
  const { places } = deck;
  switch (slide.layout) {
    case 'title':
    case 'section': {
      const title = area('title', slide.title, SIZES.openingTitle, places.openingTitle, slide, deck);
      if (slide.subtitle === undefined) return [title];
      return [title, area('subtitle', slide.subtitle, SIZES.subtitle, places.openingSubtitle, slide, deck)];
    }
    case 'content':
      return [
        area('title', slide.title, SIZES.title, places.title, slide, deck),
        slide.content === undefined ? '' : content(slide.content, SIZES.content, places.content, slide, deck),
      ];
    case 'two_columns':
      return [
        area('title', slide.title, SIZES.title, places.title, slide, deck),
        content(slide.left, SIZES.column, places.left, slide, deck),
        content(slide.right, SIZES.column, places.right, slide, deck),
      ];
    case 'blank':
      return [];
  }
}

type Area = 'title' | 'subtitle' | 'outline';

function area(kind: Area, text: Inline, preferred: number, box: Box, slide: Slide, { theme, styles }: Deck): string {
  const background = getBackground(slide, theme);
  const isTitle = kind === 'title';
  const letters = isTitle
    ? { font: theme.titleFont, color: theme.titleOn(background), bold: true }
    : { font: theme.font, color: theme.textOn(background) };
  const smallest = isTitle ? SMALLEST_TITLE : undefined;
  const size = fittingSize([{ text, bold: isTitle }], box, preferred, letters.font, smallest);
  const look = { ...letters, size, align: 'left' } as const;
  return placeholder(kind, styleFor(slide, kind, styles), box, paragraph(text, look, styles));
}

function content(text: SlideContent | undefined, preferred: number, box: Box, slide: Slide, deck: Deck): string {
  if (typeof text === 'string') return area('outline', text, preferred, box, slide, deck);
  const { theme, styles } = deck;
  const style = styleFor(slide, 'outline', styles);
  if (text === undefined) return placeholder('outline', style, box);
  const background = getBackground(slide, theme);
  const { font } = theme;
  const size = fittingSize(measuredItems(text), box, preferred, font);
  const marks = { ordered: false, color: visible(theme.accent, background), size, font };
  return placeholder('outline', style, box, list(text, marks, { font, color: theme.textOn(background) }, styles));
}

function styleFor({ layout }: Slide, kind: Area, styles: Styles): string {
  const name = `${MASTERS[layout]}-${kind === 'outline' ? 'outline1' : kind}`;
  return styles.style('presentation', '', { 'style:parent-style-name': name });
}
