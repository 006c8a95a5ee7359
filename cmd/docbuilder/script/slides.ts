import type { Slide } from '../../../src/common/generated/script.ts';
import { writeHead, writeTail } from './document.ts';
import type { FlatBuilder } from './flat.ts';
import { LINK_STYLE, lookAttributes } from './inline.ts';
import { languageAttributes } from './metadata.ts';
import type { Deck } from './slides/deck.ts';
import { elements } from './slides/elements.ts';
import { INVISIBLE } from './slides/frames.ts';
import { getPlaces, MASTERS, PAGE_LAYOUTS, pageLayouts } from './slides/layouts.ts';
import { masterPage, usedLayouts } from './slides/master.ts';
import { masterStyles } from './slides/master-styles.ts';
import { notesPage } from './slides/notes.ts';
import { plain } from './slides/paragraph.ts';
import { ARROW_MARKER } from './slides/shapes.ts';
import { placeholders } from './slides/text.ts';
import { getTheme } from './slides/theme.ts';
import { createStyles, namedStyle, properties } from './styles.ts';
import { element, escapeXml, startTag } from './xml.ts';

const FOOTER = 'footer';
const LONGEST_NAME = 80;
const LAYERS = ['layout', 'background', 'backgroundobjects', 'controls', 'measurelines'];

/** A script of type `slides` as a presentation (contract: slide_size, slide_style, slides). */
export const buildSlides: FlatBuilder = (script, { pictures, now }) => {
  const { meta, slides = [] } = script;
  const theme = getTheme(script);
  const styles = createStyles();
  const deck: Deck = { theme, places: getPlaces(theme), styles, pictures };
  const layouts = usedLayouts(slides);
  const masters = layers() + layouts.map((layout) => masterPage(layout, deck)).join('');

  const defaults =
    properties('graphic', INVISIBLE) +
    properties('text', { ...languageAttributes(meta), ...lookAttributes({ font: theme.font, size: 18 }) });
  const named = () =>
    [
      ARROW_MARKER,
      element('style:default-style', { 'style:family': 'graphic' }, defaults),
      namedStyle('graphic', 'standard', 'standard', ''),
      namedStyle('text', LINK_STYLE, 'Internet link', properties('text', lookAttributes({ underline: true }))),
      ...layouts.map((layout) => masterStyles(layout, theme)),
      pageLayouts(deck.places),
    ].join('');

  return {
    body: pages(slides, deck),
    head: () => writeHead({ kind: 'presentation', meta, now, styles: named(), automatic: styles.xml(), masters }),
    tail: writeTail('presentation'),
  };
};

function* pages(slides: readonly Slide[], deck: Deck): Generator<string> {
  const { footer } = deck.theme;
  if (footer) yield element('presentation:footer-decl', { 'presentation:name': FOOTER }, escapeXml(footer));
  for (const [index, slide] of slides.entries()) yield* page(slide, index, deck);
}

/** In pieces: an element may be as long as other documents are. */
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

/** Returns the name that PDF bookmarks and the navigator show; LibreOffice wants each name once. */
function getName(slide: Slide, number: number): string {
  const title = 'title' in slide ? plain(slide.title).replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME) : '';
  return title === '' ? `Slide ${number}` : `${number}. ${title}`;
}

function pageStyle(slide: Slide, footer: boolean, { theme, styles }: Deck): string {
  const background = slide.background && { 'draw:fill': 'solid', 'draw:fill-color': slide.background };
  const attributes = {
    'presentation:background-visible': 'true',
    'presentation:background-objects-visible': 'true',
    'presentation:display-footer': String(footer),
    'presentation:display-page-number': String(theme.numbers && slide.layout !== 'title'),
    'presentation:display-date-time': 'false',
    ...background,
  };
  return styles.style('drawing-page', properties('drawing-page', attributes));
}

function layers(): string {
  return element('draw:layer-set', {}, LAYERS.map((name) => element('draw:layer', { 'draw:name': name })).join(''));
}
