import { anchoredElements } from './anchored.ts';
import { createFlow, openParagraph, textOf } from './flow.ts';
import { objectElements } from './objects.ts';
import { paragraphElements, readMark, readText } from './paragraphs.ts';
import { type Part, part } from './part.ts';
import { createReader, divert, type Reader, type ReaderOptions, type Reading } from './reader.ts';
import { inReadingOrder, type Placed } from './reading-order.ts';
import { type Page, type Place, slideShapeElements } from './slide-shapes.ts';
import { tableElements } from './tables.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/** What has been read of a presentation. */
interface Found {
  slides: Part[];
  /** What master pages show, by their names. */
  masters: Map<string, string>;
  /** What many slides have; also empty ones. */
  footers: Set<string>;
}

/**
 * Reads a presentation: a part for each slide, hidden ones too, with its speaker notes, then once what many slides
 * show: footers, dates, and the text of their master pages. A placeholder with the slide's number says nothing.
 */
export function readPresentation(options: ReaderOptions): Reading {
  const reader = createReader({ ...options, countsItems: true }, 'graphic');
  const found: Found = { slides: [], masters: new Map(), footers: new Set() };
  const place: Place = { page: undefined, target: [], inNotes: false };
  return {
    elements: {
      ...paragraphElements(reader),
      ...tableElements(reader),
      ...anchoredElements(reader),
      ...objectElements(reader),
      ...slideShapeElements(reader, place, found.footers),
      ...fieldElements(reader, place, found),
      ...pageElements(reader, place, found),
    },
    text: (text) => readText(reader, text),
    parts: () => [
      ...found.slides,
      ...[...found.footers].filter((text) => text !== '').map((text) => part('footer', text)),
    ],
  };
}

function pageElements(reader: Reader, place: Place, { slides, masters, footers }: Found): Elements {
  const begin = (isMaster: boolean): Page => {
    const page = { isMaster, title: '', shapes: [], notes: [] };
    Object.assign(place, { page, target: page.shapes });
    return page;
  };
  return {
    'style:master-page': (attributes) => {
      const { shapes } = begin(true);
      return () => {
        place.page = undefined;
        masters.set(attributes['style:name'] ?? '', textIn(shapes).trim());
      };
    },
    'draw:page': (attributes) => {
      const page = begin(false);
      return () => {
        place.page = undefined;
        const name = attributes['draw:name'] ?? '';
        slides.push(
          part('slide', textIn(page.shapes), {
            name: page.title || (/^page\d+$/.test(name) ? '' : name) || `Slide ${slides.length + 1}`,
            hidden: !reader.styles.isVisible('drawing-page', attributes['draw:style-name']),
            notes: textIn(page.notes),
            comments: reader.comments,
          }),
        );
        reader.comments = [];
        footers.add(masters.get(attributes['draw:master-page-name'] ?? '') ?? '');
      };
    },
    'presentation:notes': () => {
      const { page, target } = place;
      if (!page || page.isMaster) return SKIP;
      Object.assign(place, { target: page.notes, inNotes: true });
      return () => Object.assign(place, { target, inNotes: false });
    },
  };
}

function textIn(shapes: readonly Placed[]): string {
  return textOf({ lines: inReadingOrder(shapes), paragraph: undefined });
}

/** Fields whose text is known only here, and declarations of texts that slides refer to. */
function fieldElements(reader: Reader, place: Place, { slides, footers }: Found): Elements {
  const declaration: Open = () => {
    const flow = createFlow();
    openParagraph(flow);
    const restore = divert(reader, flow, { onPage: false });
    return () => {
      restore();
      footers.add(flow.paragraph?.pieces.join('').trim() ?? '');
    };
  };
  const notOfNotes: Open = () => (place.inNotes ? SKIP : undefined);
  return {
    'presentation:header-decl': declaration,
    'presentation:footer-decl': declaration,
    'presentation:date-time-decl': declaration,
    'text:date': notOfNotes,
    'text:time': notOfNotes,
    'text:page-number': () => {
      if (place.page?.isMaster === false && !place.inNotes) readMark(reader, String(slides.length + 1));
      return SKIP;
    },
  };
}
