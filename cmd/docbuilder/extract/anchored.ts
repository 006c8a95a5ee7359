import { controlElements } from './controls.ts';
import { addLines, closeParagraph, createFlow, oneLine, openParagraph, textOf } from './flow.ts';
import type { Attributes } from './namespaces.ts';
import { readMark } from './paragraphs.ts';
import { pictureElements } from './pictures.ts';
import { type Comment, divert, type Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/** Flows inside flows; what is deeper becomes part of the one around, so that lines are not copied over and over. */
const MAX_DEPTH = 32;

/**
 * What hangs on a place in the text: notes, comments, shapes with text (ODF 1.3 part 3, sections 6.3, 14.1 and 10.3).
 * A note is a mark `[1]` in the text and a line `[1] …` in its list; text of a shape follows the paragraph that it is
 * anchored in.
 */
export function anchoredElements(reader: Reader): Elements {
  const annotation: Open = () => (reader.style.hidden ? SKIP : readComment(reader));
  const embedded: Open = () => {
    reader.frame = 'object';
    return SKIP;
  };
  return {
    ...noteElements(reader),
    'office:annotation': annotation,
    'officeooo:annotation': annotation,
    'loext:annotation': annotation,
    ...authorElements(reader),
    ...pictureElements(reader),
    'draw:text-box': () => {
      reader.frame = 'content';
      return undefined;
    },
    'draw:object-ole': embedded,
    'draw:plugin': embedded,
    ...shapeElements(reader, (attributes) => readShape(reader, attributes)),
  } satisfies Elements;
}

/** The elements that are, or hold, a shape. A group's are read one by one. */
const SHAPES = [
  'draw:frame',
  'draw:custom-shape',
  'draw:rect',
  'draw:ellipse',
  'draw:circle',
  'draw:line',
  'draw:polyline',
  'draw:polygon',
  'draw:regular-polygon',
  'draw:path',
  'draw:connector',
  'draw:caption',
  'draw:measure',
] as const;

/** @param shape reads a shape */
export function shapeElements(reader: Reader, shape: Open): Elements {
  return { ...Object.fromEntries(SHAPES.map((name) => [name, shape])), ...controlElements(reader, shape) };
}

function readShape(reader: Reader, attributes: Attributes): ReturnType<Open> {
  if (reader.style.hidden) return SKIP;
  if (reader.depth >= MAX_DEPTH) return undefined;
  const { flow: outer } = reader;
  const flow = createFlow();
  const restore = divert(reader, flow, { style: enterShape(reader, attributes) });
  return () => {
    restore();
    addLines(outer, flow.lines);
  };
}

/** Begins a shape. @returns what text in it looks like before its own styles */
export function enterShape(reader: Reader, attributes: Attributes): Reader['style'] {
  const { styles } = reader;
  reader.frame = 'empty';
  const own = styles.apply(styles.base('graphic'), 'graphic', attributes['draw:style-name']);
  const placed = styles.apply(own, 'presentation', attributes['presentation:style-name']);
  return styles.apply(placed, 'paragraph', attributes['draw:text-style-name']);
}

function noteElements(reader: Reader): Elements {
  let label = '';
  let list: string[] = reader.footnotes;
  return {
    'text:note': (attributes) => {
      if (reader.style.hidden) return SKIP;
      label = '';
      list = attributes['text:note-class'] === 'endnote' ? reader.endnotes : reader.footnotes;
      return undefined;
    },
    'text:note-citation': () => {
      const flow = createFlow();
      openParagraph(flow);
      const restore = divert(reader, flow, { onPage: false });
      return () => {
        restore();
        label = `[${flow.paragraph?.pieces.join('') || '*'}]`;
        readMark(reader, label);
      };
    },
    'text:note-body': () => {
      const flow = createFlow();
      const [target, citation] = [list, label];
      const restore = divert(reader, flow, { style: reader.styles.base('paragraph'), inCell: false });
      return () => {
        restore();
        target.push(`${citation} ${textOf(flow)}`.trim());
      };
    },
  };
}

function readComment(reader: Reader): () => void {
  const flow = createFlow();
  const comment: Comment = { author: null, cell: reader.cell(), text: '' };
  const restore = divert(reader, flow, { style: reader.styles.base('graphic'), inCell: false, onPage: false });
  reader.comments.push(comment);
  return () => {
    restore();
    comment.text = textOf(flow);
  };
}

/** Who wrote a comment stands in it like text. */
function authorElements(reader: Reader): Elements {
  return {
    'dc:creator': () => {
      const flow = createFlow();
      openParagraph(flow);
      const restore = divert(reader, flow, { onPage: false });
      return () => {
        restore();
        closeParagraph(flow);
        const comment = reader.comments.at(-1);
        if (comment) comment.author = oneLine(flow) || null;
      };
    },
    'dc:date': () => SKIP,
    'meta:date-string': () => SKIP,
    'meta:creator-initials': () => SKIP,
  };
}
