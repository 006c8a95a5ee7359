import { anchoredElements, enterShape, SHAPES } from './anchored.ts';
import { addLines, createFlow, oneLine, openParagraph, textOf } from './flow.ts';
import type { Package } from './package.ts';
import { paragraphElements, readText } from './paragraphs.ts';
import { type Part, part } from './part.ts';
import { createReader, divert, type Reader, type ReaderOptions } from './reader.ts';
import { inReadingOrder, type Placed, placeOf } from './reading-order.ts';
import { tableElements } from './tables.ts';
import { type Elements, type Open, SKIP, walk } from './walk.ts';

/** The slide that is being read. */
interface Slide {
  name: string;
  hidden: boolean;
  title: string;
  shapes: Placed[];
  notes: Placed[];
}

/** Groups in groups; deeper ones count as part of the one around. */
const MAX_GROUPS = 32;

/**
 * Reads a presentation: a part for each slide, hidden ones too, with its speaker notes, then the footers that slides
 * have. Date and slide number say nothing about a slide and are left out; so is what the master shows.
 */
export async function readPresentation(
  opened: Package,
  options: ReaderOptions,
  signal: AbortSignal | undefined,
): Promise<Part[]> {
  await opened.parse(
    'styles.xml',
    walk(options.styles.elements, () => {}),
    signal,
  );
  const reader = createReader(options, 'graphic');
  const parts: Part[] = [];
  const footers = new Set<string>();
  const done = ({ name, hidden, title, shapes, notes }: Slide) => {
    const text = textOf({ lines: inReadingOrder(shapes), paragraph: undefined });
    const spoken = textOf({ lines: inReadingOrder(notes), paragraph: undefined });
    const called = title || (/^page\d+$/.test(name) ? '' : name) || `Slide ${parts.length + 1}`;
    parts.push(part('slide', text, { name: called, hidden, notes: spoken, comments: reader.comments }));
    reader.comments = [];
  };
  const elements = {
    ...options.styles.elements,
    ...paragraphElements(reader),
    ...tableElements(reader),
    ...anchoredElements(reader),
    ...slideElements(reader, done, footers),
  };
  await opened.parse(
    'content.xml',
    walk(elements, (text) => readText(reader, text), options.output.enough),
    signal,
  );
  return [...parts, ...[...footers].map((text) => part('footer', text))];
}

function slideElements(reader: Reader, done: (slide: Slide) => void, footers: Set<string>): Elements {
  let slide: Slide | undefined;
  let target: Placed[] = [];
  let groups = 0;

  const shape: Open = (attributes) => {
    const kind = attributes['presentation:class'] ?? '';
    if (!slide || SAYS_NOTHING.has(kind) || attributes['presentation:placeholder'] === 'true') return SKIP;
    const opened = slide;
    const [outer, flow, into] = [reader.flow, createFlow(), target];
    const isNested = reader.depth > 0;
    const restore = divert(reader, flow, { style: enterShape(reader, attributes) });
    return () => {
      restore();
      const text = textOf(flow);
      if (isNested) addLines(outer, flow.lines);
      else if (kind === 'footer' || kind === 'header') footers.add(text.trim());
      else if (text !== '') into.push({ ...placeOf(attributes), isTitle: kind === 'title', lines: flow.lines });
      if (kind === 'title' && !opened.title) opened.title = oneLine(flow).trim();
      footers.delete('');
    };
  };

  const declaration: Open = () => {
    const flow = createFlow();
    openParagraph(flow);
    const restore = divert(reader, flow, { onPage: false });
    return () => {
      restore();
      const text = flow.paragraph?.pieces.join('').trim();
      if (text) footers.add(text);
    };
  };

  return {
    ...Object.fromEntries(SHAPES.map((name) => [name, shape])),
    'presentation:header-decl': declaration,
    'presentation:footer-decl': declaration,
    'presentation:date-time-decl': () => SKIP,
    'draw:page': (attributes) => {
      const opened: Slide = {
        name: attributes['draw:name'] ?? '',
        hidden: !reader.styles.isVisible('drawing-page', attributes['draw:style-name']),
        title: '',
        shapes: [],
        notes: [],
      };
      [slide, target] = [opened, opened.shapes];
      return () => {
        slide = undefined;
        done(opened);
      };
    },
    'presentation:notes': () => {
      if (!slide) return SKIP;
      const outer = target;
      target = slide.notes;
      return () => {
        target = outer;
      };
    },
    'draw:g': () => {
      if (groups >= MAX_GROUPS) return undefined;
      const [outer, group]: [Placed[], Placed[]] = [target, []];
      target = group;
      groups += 1;
      return () => {
        groups -= 1;
        target = outer;
        if (group.length > 0) outer.push(asOne(group));
      };
    },
  };
}

/** What stands together is read together. */
function asOne(group: readonly Placed[]): Placed {
  const lowest = (pick: (shape: Placed) => number) => group.reduce((least, shape) => Math.min(least, pick(shape)), 1e9);
  return { x: lowest(({ x }) => x), y: lowest(({ y }) => y), isTitle: false, lines: inReadingOrder(group) };
}

const SAYS_NOTHING = new Set(['date-time', 'page-number', 'page']);
