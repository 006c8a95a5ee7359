import type { Inline, Slide, SlideContent } from '../../../../src/common/generated/script.ts';
import { type Deck, getBackground } from './deck.ts';
import { fittingSize, sizesFrom } from './fit.ts';
import { placeholder } from './frames.ts';
import { type Box, MASTERS } from './layouts.ts';
import { list, measuredItems } from './list.ts';
import { SIZES } from './master-styles.ts';
import { paragraph, runs } from './paragraph.ts';
import { visible } from './theme.ts';

const SMALLEST_TITLE = 12;

/** Writes the placeholders of a slide. An area without content keeps its place only beside one that has some. */
export function placeholders(slide: Slide, deck: Deck): string[] {
  const { places } = deck;
  switch (slide.layout) {
    case 'title':
    case 'section':
      return [
        title(slide.title, SIZES.openingTitle, places.openingTitle, slide, deck),
        slide.subtitle === undefined ? '' : subtitle(slide.subtitle, places.openingSubtitle, slide, deck),
      ];
    case 'content':
      return [
        title(slide.title, SIZES.title, places.title, slide, deck),
        slide.content === undefined ? '' : content(slide.content, SIZES.content, places.content, slide, deck),
      ];
    case 'two_columns':
      return [
        title(slide.title, SIZES.title, places.title, slide, deck),
        content(slide.left, SIZES.column, places.left, slide, deck),
        content(slide.right, SIZES.column, places.right, slide, deck),
      ];
    case 'blank':
      return [];
  }
}

function title(text: Inline, wanted: number, box: Box, slide: Slide, { theme, styles }: Deck): string {
  const size = fittingSize([{ text, bold: true }], box, sizesFrom(wanted, SMALLEST_TITLE), theme.titleFont);
  const color = theme.titleOn(getBackground(slide, theme));
  const look = { font: theme.titleFont, size, color, bold: true, align: 'left' } as const;
  return placeholder('title', styleFor(slide, 'title', styles), box, paragraph(runs(text, styles, look), look, styles));
}

function subtitle(text: Inline, box: Box, slide: Slide, { theme, styles }: Deck): string {
  const size = fittingSize([{ text }], box, sizesFrom(SIZES.subtitle), theme.font);
  const look = { font: theme.font, size, color: theme.textOn(getBackground(slide, theme)), align: 'left' } as const;
  return placeholder(
    'subtitle',
    styleFor(slide, 'subtitle', styles),
    box,
    paragraph(runs(text, styles, look), look, styles),
  );
}

function content(
  text: SlideContent | undefined,
  wanted: number,
  box: Box,
  slide: Slide,
  { theme, styles }: Deck,
): string {
  const style = styleFor(slide, 'outline1', styles);
  if (text === undefined) return placeholder('outline', style, box);
  const background = getBackground(slide, theme);
  const measured = typeof text === 'string' ? [{ text }] : measuredItems(text);
  const size = fittingSize(measured, box, sizesFrom(wanted), theme.font);
  const letters = { font: theme.font, color: theme.textOn(background) };
  if (typeof text === 'string') {
    const look = { ...letters, size, align: 'left' } as const;
    return placeholder('outline', style, box, paragraph(runs(text, styles, look), look, styles));
  }
  const look = { ordered: false, color: visible(theme.accent, background), size, font: theme.font };
  return placeholder('outline', style, box, list(text, look, letters, styles));
}

function styleFor({ layout }: Slide, kind: string, styles: Deck['styles']): string {
  return styles.style('presentation', '', { 'style:parent-style-name': `${MASTERS[layout]}-${kind}` });
}
