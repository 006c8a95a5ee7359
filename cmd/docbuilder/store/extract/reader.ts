import { createFlow, type Flow } from './flow.ts';
import type { Output } from './output.ts';
import type { Styles, TextStyle } from './styles.ts';

/** A remark in the margin. `cell` is its place in a sheet. */
export interface Comment {
  author: string | null;
  cell: string | null;
  text: string;
}

/** What the elements of a document share while it is walked through. */
export interface Reader {
  readonly styles: Styles;
  readonly output: Output;
  /** Told of every piece of visible text, and how it looks. */
  readonly onText: ((text: string, style: TextStyle) => void) | undefined;
  /** Told of every paragraph that has text. */
  readonly onParagraph: ((line: string) => void) | undefined;
  /** Told of every table that is no sheet, and of every picture. */
  readonly onTable: (() => void) | undefined;
  readonly onImage: (() => void) | undefined;
  /** Where text goes now, and how many flows it is inside of. */
  flow: Flow;
  depth: number;
  style: TextStyle;
  /** Levels of list around. */
  level: number;
  /** Whether the flow becomes one line. */
  inCell: boolean;
  /** Whether the text is part of the page; comments are not. */
  onPage: boolean;
  /** Whether nothing has been seen in the frame that is being read: a picture after something else only stands for it. */
  frameIsEmpty: boolean;
  footnotes: string[];
  endnotes: string[];
  comments: Comment[];
  /** The cell that is being read, for its comment. */
  cell: () => string | null;
}

export type ReaderOptions = Pick<Reader, 'styles' | 'output'> &
  Partial<Pick<Reader, 'onText' | 'onParagraph' | 'onTable' | 'onImage'>>;

/** @param family of the styles that text has without any */
export function createReader(options: ReaderOptions, family: string): Reader {
  return {
    styles: options.styles,
    output: options.output,
    onText: options.onText,
    onParagraph: options.onParagraph,
    onTable: options.onTable,
    onImage: options.onImage,
    frameIsEmpty: false,
    flow: createFlow(),
    depth: 0,
    style: options.styles.base(family),
    level: 0,
    inCell: false,
    onPage: true,
    footnotes: [],
    endnotes: [],
    comments: [],
    cell: () => null,
  };
}

/**
 * Lets text go somewhere else until the returned function is called with what shall become of it. The state around is
 * put back whatever the inner text did.
 */
export function divert(
  reader: Reader,
  flow: Flow,
  inner: Partial<Pick<Reader, 'style' | 'inCell' | 'onPage'>> = {},
): () => void {
  const { flow: outer, level, style, inCell, onPage, depth } = reader;
  Object.assign(reader, { flow, level: 0, depth: depth + 1 }, inner);
  return () => {
    Object.assign(reader, { flow: outer, level, style, inCell, onPage, depth });
  };
}
