import type { Slide } from '../../../../src/common/generated/script.ts';
import type { Picture } from '../check/pictures.ts';
import type { Size } from '../frame.ts';
import type { Styles } from '../styles.ts';
import { type Attributes, element, mm } from '../xml.ts';
import type { Theme } from './theme.ts';

export interface Deck {
  theme: Theme;
  places: Places;
  styles: Styles;
  /** By JSON Pointer of the image element. */
  pictures: ReadonlyMap<string, Picture>;
}

/** The slide's own background, its layout's, or that of all slides. */
export function getBackground({ layout, background }: Pick<Slide, 'layout' | 'background'>, theme: Theme): string {
  return background ?? (layout === 'section' ? theme.accent : theme.background);
}

/** A place on a slide, in millimetres from its upper left corner. */
export interface Box extends Size {
  x: number;
  y: number;
}

export type Layout = Slide['layout'];

/** Master pages; two layouts may share one. */
export const MASTERS = {
  title: 'Title',
  content: 'Content',
  two_columns: 'Content',
  section: 'Section',
  blank: 'Blank',
} as const satisfies Record<Layout, string>;

/** Names of the `style:presentation-page-layout`s. LibreOffice recognises its own layouts by their objects. */
export const PAGE_LAYOUTS = { title: 'AL1', content: 'AL2', two_columns: 'AL3', section: 'AL1', blank: 'AL4' } as const;

/** Preferred font sizes of the placeholders in points; see `fittingSize`. */
export const SIZES = { title: 32, openingTitle: 44, subtitle: 24, content: 24, column: 20, footer: 11, notes: 12 };

export function getPlaces({ width, height }: Size) {
  const margin = width * 0.056;
  const inner = width - 2 * margin;
  const gap = inner * 0.04;
  const half = (inner - gap) / 2;
  const content = { y: 43, height: height - 43 - 20 };
  const opening = { x: margin * 1.4, width: width - margin * 2.4 };
  return {
    title: { x: margin, y: 11, width: inner, height: 22 },
    rule: { x: margin, y: 35.2, width: inner * 0.09, height: 1.2 },
    content: { x: margin, width: inner, ...content },
    left: { x: margin, width: half, ...content },
    right: { x: margin + half + gap, width: half, ...content },
    openingTitle: { ...opening, y: 42, height: 52 },
    openingRule: { x: opening.x, y: 99, width: inner * 0.12, height: 1.6 },
    openingSubtitle: { ...opening, y: 106, height: 40 },
    band: { x: 0, y: 0, width: margin * 0.42, height },
    footer: { x: margin, y: height - 14.5, width: inner * 0.75, height: 8 },
    number: { x: margin + inner * 0.8, y: height - 14.5, width: inner * 0.2, height: 8 },
  } satisfies Record<string, Box>;
}

export type Places = ReturnType<typeof getPlaces>;

/** @returns attributes of a frame or shape */
export function boxAttributes({ x, y, width, height }: Box): Attributes {
  return { 'svg:x': mm(x), 'svg:y': mm(y), 'svg:width': mm(width), 'svg:height': mm(height) };
}

/** The `style:presentation-page-layout`s (ODF 1.3 part 3, 16.27) of all layouts. */
export function pageLayouts({ openingTitle, openingSubtitle, title, content, left, right }: Places): string {
  const object = (kind: string, box: Box): string =>
    element('presentation:placeholder', { 'presentation:object': kind, ...boxAttributes(box) });
  const layouts = {
    AL1: object('title', openingTitle) + object('subtitle', openingSubtitle),
    AL2: object('title', title) + object('outline', content),
    AL3: object('title', title) + object('outline', left) + object('outline', right),
    AL4: '',
  };
  const layout = ([name, objects]: [string, string]) =>
    element('style:presentation-page-layout', { 'style:name': name }, objects);
  return Object.entries(layouts).map(layout).join('');
}
