import { addLines, linesText, oneLine, type Part, part } from './flow.ts';
import { enterShape, frameElements } from './frames.ts';
import type { Reader, Reading } from './reader.ts';
import { type Attributes, type Elements, type Open, SKIP } from './sax.ts';
import { tableElements } from './tables.ts';

/** A slide or master page that is being read. */
interface Page {
  isMaster: boolean;
  title: string;
  /** A master page's footer. */
  footer: string;
  shapes: Placed[];
  notes: Placed[];
}

/** The state of reading a presentation. */
class Deck {
  readonly slides: Part[] = [];
  /** The text and the footer of master pages by name. */
  readonly masters = new Map<string, { text: string; footer: string }>();
  /** Text that several slides show; it may be empty. */
  readonly footers = new Set<string>();
  page: Page | undefined;
  /** The shapes of the page, of its notes, or of a group, to which the next one belongs. */
  target: Placed[] = [];
  inNotes = false;
}

/**
 * Reads a presentation: a part for each slide, also hidden ones, with its speaker notes; then the text that several slides
 * show, once: footers, dates, and the text of master pages. Slide numbers are left out.
 */
export function readPresentation(reader: Reader): Reading {
  const deck = new Deck();
  return {
    elements: {
      ...tableElements(reader),
      ...frameElements(reader, (attributes) => readShape(reader, deck, attributes)),
      ...groupElements(deck),
      ...fieldElements(reader, deck),
      ...pageElements(reader, deck),
    },
    parts: () => [
      ...deck.slides,
      ...[...deck.footers].filter((text) => text !== '').map((text) => part('footer', text)),
    ],
  };
}

function pageElements(reader: Reader, deck: Deck): Elements {
  const begin = (isMaster: boolean): Page => {
    const page: Page = { isMaster, title: '', footer: '', shapes: [], notes: [] };
    Object.assign(deck, { page, target: page.shapes });
    return page;
  };
  return {
    'style:master-page': (attributes) => {
      const page = begin(true);
      return () => {
        deck.page = undefined;
        deck.masters.set(attributes['style:name'] ?? '', { text: toText(page.shapes).trim(), footer: page.footer });
      };
    },
    'draw:page': (attributes) => {
      // The pages of an embedded drawing or presentation are content of the slide.
      if (deck.page) return;
      const page = begin(false);
      return () => {
        deck.page = undefined;
        const name = attributes['draw:name'] ?? '';
        const style = reader.styles.get('drawing-page', attributes['draw:style-name']);
        const slide = {
          name: page.title || (/^page\d+$/.test(name) ? '' : name) || `Slide ${deck.slides.length + 1}`,
          hidden: style?.visible === false,
          notes: toText(page.notes),
          comments: reader.comments,
        };
        deck.slides.push(part('slide', toText(page.shapes), slide));
        reader.comments = [];
        const { text = '', footer = '' } = deck.masters.get(attributes['draw:master-page-name'] ?? '') ?? {};
        deck.footers.add(text);
        if (style?.footer) deck.footers.add(footer);
      };
    },
    'presentation:notes': () => {
      const { page, target } = deck;
      if (!page || page.isMaster || reader.depth > 0) return SKIP;
      Object.assign(deck, { target: page.notes, inNotes: true });
      return () => Object.assign(deck, { target, inNotes: false });
    },
  };
}

function toText(shapes: readonly Placed[]): string {
  return linesText(inReadingOrder(shapes));
}

const SLIDE_NUMBERS = new Set(['page-number', 'page']);
const SHARED = new Set(['header', 'footer', 'date-time']);

function readShape(reader: Reader, deck: Deck, attributes: Attributes): ReturnType<Open> {
  const { page, target } = deck;
  const kind = attributes['presentation:class'] ?? '';
  if (!page || isLeftOut(kind, attributes, deck)) return SKIP;
  const [outer, isNested] = [reader.flow, reader.depth > 0];
  return reader.divert({ style: enterShape(reader, attributes) }, (flow) => {
    const text = linesText(flow.lines);
    if (isNested) addLines(outer, flow.lines);
    else if (page.isMaster && kind === 'footer') page.footer = text.trim();
    else if (SHARED.has(kind)) deck.footers.add(text.trim());
    else if (text !== '') target.push({ ...parsePlace(attributes), isTitle: kind === 'title', lines: flow.lines });
    if (kind === 'title' && !isNested && !page.title) page.title = oneLine(flow).trim();
  });
}

/** Placeholders of master pages are those of the slides. Of a notes page only the notes are text. */
function isLeftOut(kind: string, attributes: Attributes, { page, inNotes }: Deck): boolean {
  if (attributes['presentation:placeholder'] === 'true' || SLIDE_NUMBERS.has(kind)) return true;
  return (page?.isMaster === true && kind !== '' && kind !== 'footer') || (inNotes && SHARED.has(kind));
}

/** A deeper group is part of the group around. */
const MAX_GROUPS = 32;

/** Returns the handler of groups, whose shapes stay together. */
function groupElements(deck: Deck): Elements {
  let groups = 0;
  return {
    'draw:g': () => {
      if (groups >= MAX_GROUPS) return;
      const outer = deck.target;
      const group: Placed[] = [];
      deck.target = group;
      groups += 1;
      return () => {
        groups -= 1;
        deck.target = outer;
        if (group.length > 0) outer.push(together(group));
      };
    },
  };
}

/** Returns handlers of fields without a value, and of declarations of texts that slides refer to. */
function fieldElements(reader: Reader, deck: Deck): Elements {
  const declaration = reader.capture((text) => deck.footers.add(text.trim()));
  const outsideNotes: Open = () => (deck.inNotes ? SKIP : undefined);
  return {
    'presentation:header-decl': declaration,
    'presentation:footer-decl': declaration,
    'presentation:date-time-decl': declaration,
    'text:date': outsideNotes,
    'text:time': outsideNotes,
    'text:page-number': () => {
      if (deck.page?.isMaster === false && !deck.inNotes) reader.addMark(String(deck.slides.length + 1));
      return SKIP;
    },
  };
}

/** A shape with text, and its position in millimetres. */
interface Placed {
  x: number;
  y: number;
  isTitle: boolean;
  lines: readonly string[];
}

/** Shapes whose upper edges differ by less are beside each other. */
const SAME_LINE_MM = 5;
/** Neighbouring parts share no character, so that its time is linear. */
const TRANSLATE = /translate\s*\(\s*([^\s,()]+)[\s,]+([^\s,()]+)\s*\)/;
const MM: Record<string, number> = { mm: 1, cm: 10, in: 25.4, pt: 25.4 / 72, pc: 25.4 / 6, px: 25.4 / 96 };

/** Returns the lines of the title, then of shapes from top to bottom, and beside each other from left to right. */
function inReadingOrder(shapes: readonly Placed[]): string[] {
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

/** Returns a group as one shape. */
function together(group: readonly Placed[]): Placed {
  const least = (pick: (shape: Placed) => number) => group.reduce((min, shape) => Math.min(min, pick(shape)), 1e9);
  return { x: least(({ x }) => x), y: least(({ y }) => y), isTitle: false, lines: inReadingOrder(group) };
}

/** Returns the position of a shape (ODF 1.3 part 3, section 19.576); that of a rotated one is in its transformation. */
function parsePlace(attributes: Attributes): { x: number; y: number } {
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
