import { enterShape, shapeElements } from './anchored.ts';
import { addLines, createFlow, oneLine, textOf } from './flow.ts';
import type { Attributes } from './namespaces.ts';
import { divert, type Reader } from './reader.ts';
import { inReadingOrder, type Placed, placeOf } from './reading-order.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/** A slide or master page that is being read. */
export interface Page {
  readonly isMaster: boolean;
  title: string;
  shapes: Placed[];
  notes: Placed[];
}

/** What the shapes of a page go by. */
export interface Place {
  page: Page | undefined;
  /** Where a shape's text goes: to the page, its notes, or a group. */
  target: Placed[];
  inNotes: boolean;
}

/** Groups in groups; deeper ones count as part of the one around. */
const MAX_GROUPS = 32;

/** @param footers gets what many slides have, such as a footer and a date */
export function slideShapeElements(reader: Reader, place: Place, footers: Set<string>): Elements {
  let groups = 0;
  const shape: Open = (attributes) => {
    const { page, target } = place;
    const kind = attributes['presentation:class'] ?? '';
    if (!page || isLeftOut(kind, attributes, place)) return SKIP;
    const [outer, flow] = [reader.flow, createFlow()];
    const isNested = reader.depth > 0;
    const restore = divert(reader, flow, { style: enterShape(reader, attributes) });
    return () => {
      restore();
      const text = textOf(flow);
      if (isNested) addLines(outer, flow.lines);
      else if (ON_MANY_SLIDES.has(kind)) footers.add(text.trim());
      else if (text !== '') target.push({ ...placeOf(attributes), isTitle: kind === 'title', lines: flow.lines });
      if (kind === 'title' && !page.title) page.title = oneLine(flow).trim();
    };
  };
  return {
    ...shapeElements(reader, shape),
    'draw:g': () => {
      if (groups >= MAX_GROUPS) return undefined;
      const outer = place.target;
      const group: Placed[] = [];
      place.target = group;
      groups += 1;
      return () => {
        groups -= 1;
        place.target = outer;
        if (group.length > 0) outer.push(asOne(group));
      };
    },
  };
}

const SAYS_NOTHING = new Set(['page-number', 'page']);
const ON_MANY_SLIDES = new Set(['header', 'footer', 'date-time']);

/** What has a class on a master page stands for what slides have; on a notes page only the notes say something. */
function isLeftOut(kind: string, attributes: Attributes, { page, inNotes }: Place): boolean {
  if (attributes['presentation:placeholder'] === 'true' || SAYS_NOTHING.has(kind)) return true;
  return (page?.isMaster === true && kind !== '') || (inNotes && ON_MANY_SLIDES.has(kind));
}

/** What stands together is read together. */
function asOne(group: readonly Placed[]): Placed {
  const lowest = (pick: (shape: Placed) => number) => group.reduce((least, shape) => Math.min(least, pick(shape)), 1e9);
  return { x: lowest(({ x }) => x), y: lowest(({ y }) => y), isTitle: false, lines: inReadingOrder(group) };
}
