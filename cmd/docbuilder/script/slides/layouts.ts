import type { Slide } from '../../../../src/common/generated/script.ts';
import { properties } from '../styles.ts';
import { element, mm } from '../xml.ts';
import type { Theme } from './theme.ts';

/** A place on a slide, in millimetres from its upper left corner. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
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

/** Names of the `style:presentation-page-layout`s. LibreOffice knows its own layouts again by what is in them. */
export const PAGE_LAYOUTS = { title: 'AL1', content: 'AL2', two_columns: 'AL3', section: 'AL1', blank: 'AL4' } as const;

/** The places of the placeholders. */
export function getPlaces({ width, height }: Pick<Theme, 'width' | 'height'>) {
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

/** A place as attributes of a frame or shape. */
export function boxAttributes({ x, y, width, height }: Box) {
  return { 'svg:x': mm(x), 'svg:y': mm(y), 'svg:width': mm(width), 'svg:height': mm(height) };
}

/** `style:page-layout-properties` of a page without margins. */
export function pageProperties({ width, height }: Pick<Box, 'width' | 'height'>, orientation: string): string {
  const margins = Object.fromEntries(['top', 'right', 'bottom', 'left'].map((side) => [`fo:margin-${side}`, '0mm']));
  const size = { 'fo:page-width': mm(width), 'fo:page-height': mm(height), 'style:print-orientation': orientation };
  return properties('page-layout', { ...margins, ...size });
}

/** The `style:presentation-page-layout`s (ODF 1.3 part 3, 16.27) of all layouts. */
export function pageLayouts(places: Places): string {
  const title = placeholder('title', places.title);
  return [
    layout('AL1', placeholder('title', places.openingTitle) + placeholder('subtitle', places.openingSubtitle)),
    layout('AL2', title + placeholder('outline', places.content)),
    layout('AL3', title + placeholder('outline', places.left) + placeholder('outline', places.right)),
    layout('AL4', ''),
  ].join('');
}

function layout(name: string, content: string): string {
  return element('style:presentation-page-layout', { 'style:name': name }, content);
}

function placeholder(object: string, box: Box): string {
  return element('presentation:placeholder', { 'presentation:object': object, ...boxAttributes(box) });
}
