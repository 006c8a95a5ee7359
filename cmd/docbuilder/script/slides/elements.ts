import type {
  BulletsElement,
  Element,
  ImageElement,
  ShapeElement,
  Slide,
  TextElement,
} from '../../../../src/common/generated/script.ts';
import { fitted, pictureSize, placedPicture } from '../frame.ts';
import { element, mm, pt } from '../xml.ts';
import { boxLook, paragraph, sizeFor, stroke, withDefaults } from './boxes.ts';
import { boxAttributes, type Deck, getBackground } from './layouts.ts';
import { list, measuredItems } from './list.ts';
import { tableElement } from './table.ts';
import { visible } from './theme.ts';

/** The elements of a slide, from back to front. */
export function elements(slide: Slide, pointer: string, deck: Deck): string[] {
  const background = getBackground(slide, deck.theme);
  return (slide.elements ?? []).map((part, index) => build(part, `${pointer}/elements/${index}`, background, deck));
}

/** @param behind colour of the slide */
function build(part: Element, pointer: string, behind: string, deck: Deck): string {
  switch (part.type) {
    case 'text':
      return textBox(part, textIn(part, 'left', 1, behind, deck), deck);
    case 'bullets':
      return textBox(part, bullets(part, behind, deck), deck);
    case 'table':
      return tableElement(part, behind, deck);
    case 'image':
      return imageElement(part, pointer, deck);
    case 'shape':
      return part.shape === 'line' || part.shape === 'arrow' ? line(part, behind, deck) : shape(part, behind, deck);
  }
}

function textBox(part: TextElement | BulletsElement, content: string, { styles, theme }: Deck): string {
  const style = styles.of('graphic', boxLook(part, theme.accent));
  const attributes = { 'draw:style-name': style, 'draw:layer': 'layout', ...boxAttributes(part) };
  return element('draw:frame', attributes, element('draw:text-box', {}, content));
}

type Align = 'left' | 'center';

/** @param room the share of its box that the text may use */
function textIn(part: TextElement | ShapeElement, align: Align, room: number, behind: string, deck: Deck): string {
  if (part.text === undefined) return '';
  const look = withDefaults(part, part.background ?? behind, deck);
  const box = { width: part.width * room, height: part.height * room };
  const size = sizeFor(part.size, [{ text: part.text, bold: part.bold }], box, look.font);
  return paragraph(part.text, { ...look, size, align: part.align ?? align }, deck.styles);
}

function bullets(part: BulletsElement, behind: string, deck: Deck): string {
  const background = part.background ?? behind;
  const look = withDefaults(part, background, deck);
  const size = sizeFor(part.size, measuredItems(part.items, part.bold), part, look.font);
  const marks = {
    ordered: part.ordered ?? false,
    even: part.size !== undefined,
    color: visible(deck.theme.accent, background),
    size,
    font: look.font,
  };
  return list(part.items, marks, look, deck.styles);
}

/** A picture without a given size is reduced to the room between its place and the ends of the slide. */
function imageElement(part: ImageElement, pointer: string, { pictures, styles, theme }: Deck): string {
  const picture = pictures.get(pointer);
  if (!picture) return '';
  const size = pictureSize(picture, part);
  const room = { width: theme.width - part.x, height: theme.height - part.y };
  const reduced = part.width === undefined && part.height === undefined && room.width > 0 && room.height > 0;
  return placedPicture(
    picture,
    reduced ? fitted(size, room) : size,
    part,
    styles,
    { 'draw:layer': 'layout' },
    part.alt,
  );
}

/** `draw:type` of the shapes (ODF 1.3 part 3, 19.229), and the share of their box that text may use. */
const GEOMETRIES = {
  rectangle: { type: 'rectangle', room: 1 },
  rounded_rectangle: { type: 'round-rectangle', room: 0.95 },
  ellipse: { type: 'ellipse', room: 0.7 },
  triangle: { type: 'isosceles-triangle', room: 0.5 },
  diamond: { type: 'diamond', room: 0.5 },
} as const;

function shape(part: ShapeElement, behind: string, deck: Deck): string {
  const { type, room } = GEOMETRIES[part.shape as keyof typeof GEOMETRIES];
  const style = deck.styles.of('graphic', boxLook({ valign: 'middle', ...part }, deck.theme.accent));
  const attributes = { 'draw:style-name': style, 'draw:layer': 'layout', ...boxAttributes(part) };
  const geometry = element('draw:enhanced-geometry', { 'svg:viewBox': '0 0 21600 21600', 'draw:type': type });
  return element('draw:custom-shape', attributes, textIn(part, 'center', room, behind, deck) + geometry);
}

const LINE_WIDTH = 1.5;
/** Width of an arrow's head in line widths. */
const HEAD_WIDTH = 3;

/** The head of arrows. */
export const ARROW_MARKER = element('draw:marker', {
  'draw:name': 'Arrow',
  'svg:viewBox': '0 0 20 30',
  'svg:d': 'M10 0l-10 30h20z',
});

/** From the box's upper left to its lower right corner, also without a border. */
function line({ shape, x, y, width, height, border }: ShapeElement, behind: string, { theme, styles }: Deck): string {
  const points = border?.width ?? LINE_WIDTH;
  const head = { 'draw:marker-end': 'Arrow', 'draw:marker-end-width': pt(Math.max(points * HEAD_WIDTH, 7)) };
  const look = {
    ...stroke({ ...border, width: points }, visible(theme.accent, behind)),
    ...(shape === 'arrow' && head),
    'draw:fill': 'none',
  };
  const ends = { 'svg:x1': mm(x), 'svg:y1': mm(y), 'svg:x2': mm(x + width), 'svg:y2': mm(y + height) };
  return element('draw:line', { 'draw:style-name': styles.of('graphic', look), 'draw:layer': 'layout', ...ends });
}
