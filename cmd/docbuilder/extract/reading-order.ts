import type { Attributes } from './sax.ts';

/** A shape with text at its place on a slide. Lengths are in millimetres. */
export interface Placed {
  x: number;
  y: number;
  isTitle: boolean;
  lines: readonly string[];
}

/** Shapes whose upper edges differ by less than this stand beside each other. */
const SAME_LINE_MM = 5;
/** Neighbours in it share no character: hostile text costs no more than its length. */
const TRANSLATE = /translate\s*\(\s*([^\s,()]+)[\s,]+([^\s,()]+)\s*\)/;
const MM: Record<string, number> = { mm: 1, cm: 10, in: 25.4, pt: 25.4 / 72, pc: 25.4 / 6, px: 25.4 / 96 };

/** Returns lines as people read them: the title, then from top to bottom, beside each other from left to right. */
export function inReadingOrder(shapes: readonly Placed[]): string[] {
  const titles = shapes.filter(({ isTitle }) => isTitle);
  const rest = shapes.filter(({ isTitle }) => !isTitle).sort((a, b) => a.y - b.y);
  const ordered = [...titles];
  let bandStart = 0;
  for (let index = 1; index <= rest.length; index++) {
    const [first, next] = [rest[bandStart], rest[index]];
    if (first && next && next.y - first.y < SAME_LINE_MM) continue;
    for (const shape of rest.slice(bandStart, index).sort((a, b) => a.x - b.x)) ordered.push(shape);
    bandStart = index;
  }
  return ordered.flatMap(({ lines }) => lines);
}

/** Returns a group as one shape, so that its members stay together. */
export function together(group: readonly Placed[]): Placed {
  const least = (pick: (shape: Placed) => number) => group.reduce((min, shape) => Math.min(min, pick(shape)), 1e9);
  return { x: least(({ x }) => x), y: least(({ y }) => y), isTitle: false, lines: inReadingOrder(group) };
}

/** Returns the place of a shape (ODF 1.3 part 3, section 19.576); a rotated one has it in its transformation. */
export function parsePlace(attributes: Attributes): { x: number; y: number } {
  const [, x, y] = TRANSLATE.exec(attributes['draw:transform'] ?? '') ?? [];
  return {
    x: millimetres(attributes['svg:x'] ?? attributes['svg:x1'] ?? x),
    y: millimetres(attributes['svg:y'] ?? attributes['svg:y1'] ?? y),
  };
}

function millimetres(length = ''): number {
  const [, number = '0', unit = 'mm'] = /^(-?[\d.]+)([a-z]+)$/.exec(length) ?? [];
  return Number(number) * (MM[unit] ?? 1) || 0;
}
