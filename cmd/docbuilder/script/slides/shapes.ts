import type { ShapeElement } from '../../../../src/common/generated/script.ts';
import { properties } from '../styles.ts';
import { element, mm, pt } from '../xml.ts';
import { boxLook, getLetters, sizeFor, stroke } from './box-look.ts';
import type { Deck } from './deck.ts';
import { boxAttributes } from './layouts.ts';
import { paragraph, runs } from './paragraph.ts';
import { visible } from './theme.ts';

/** `draw:type` of the shapes (ODF 1.3 part 3, 19.229), and the part of their box that text may use. */
const GEOMETRIES = {
  rectangle: { type: 'rectangle', room: 1 },
  rounded_rectangle: { type: 'round-rectangle', room: 0.95 },
  ellipse: { type: 'ellipse', room: 0.7 },
  triangle: { type: 'isosceles-triangle', room: 0.5 },
  diamond: { type: 'diamond', room: 0.5 },
} as const;

const LINE_WIDTH = 1.5;
/** The width of an arrow's head in line widths; it is never smaller than 7 points. */
const HEAD_WIDTH = 3;
/** Name of the arrow head among the `draw:marker`s. */
const ARROW = 'Arrow';

/** The `draw:marker` that arrows end in. */
export const ARROW_MARKER = element('draw:marker', {
  'draw:name': ARROW,
  'svg:viewBox': '0 0 20 30',
  'svg:d': 'M10 0l-10 30h20z',
});

/** A drawn shape with its text. */
export function shapeElement(part: ShapeElement, behind: string, deck: Deck): string {
  if (part.shape === 'line' || part.shape === 'arrow') return line(part, behind, deck);
  const { theme, styles } = deck;
  const { type, room } = GEOMETRIES[part.shape];
  const style = styles.style('graphic', properties('graphic', boxLook(part, theme.accent, 'middle')));
  const attributes = { 'draw:style-name': style, 'draw:layer': 'layout', ...boxAttributes(part) };
  const geometry = element('draw:enhanced-geometry', { 'svg:viewBox': '0 0 21600 21600', 'draw:type': type });
  return element('draw:custom-shape', attributes, writeText(part, room, behind, deck) + geometry);
}

function writeText(part: ShapeElement, room: number, behind: string, deck: Deck): string {
  if (part.text === undefined) return '';
  const look = getLetters(part, part.background ?? behind, deck);
  const box = { width: part.width * room, height: part.height * room };
  const size = sizeFor(part.size, [{ text: part.text, bold: look.bold }], box, look.font);
  return paragraph(runs(part.text, deck.styles, look), { ...look, size, align: part.align ?? 'center' }, deck.styles);
}

/** A line or an arrow, from the box's upper left to its lower right corner. It is drawn also without a border. */
function line({ shape, x, y, width, height, border }: ShapeElement, behind: string, { theme, styles }: Deck): string {
  const points = border?.width ?? LINE_WIDTH;
  const look = {
    ...stroke({ ...border, width: points }, visible(theme.accent, behind)),
    ...(shape === 'arrow' ? { 'draw:marker-end': ARROW, 'draw:marker-end-width': headWidth(points) } : {}),
    'draw:fill': 'none',
  };
  const ends = { 'svg:x1': mm(x), 'svg:y1': mm(y), 'svg:x2': mm(x + width), 'svg:y2': mm(y + height) };
  const style = styles.style('graphic', properties('graphic', look));
  return element('draw:line', { 'draw:style-name': style, 'draw:layer': 'layout', ...ends });
}

function headWidth(points: number): string {
  return pt(Math.max(points * HEAD_WIDTH, 7));
}
