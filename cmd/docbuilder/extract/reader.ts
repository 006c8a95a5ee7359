import { createFlow, type Flow } from './flow.ts';
import type { Counters } from './labels.ts';
import type { Output } from './output.ts';
import type { Part } from './part.ts';
import type { Styles, TextStyle } from './styles.ts';
import type { Elements } from './walk.ts';

/** A remark in the margin. `cell` is its place in a sheet. */
export interface Comment {
  author: string | null;
  cell: string | null;
  text: string;
}

export interface ListItem {
  /** As LibreOffice has written it. */
  label: string;
  start: number | undefined;
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
  readonly family: string;
  /** Levels of list around. */
  level: number;
  /** The list item that is being read, until its first paragraph has its label. */
  item: ListItem | undefined;
  /** What labels are made of where LibreOffice does not write them: in slides, and of headings. */
  list: Counters | undefined;
  headings: Counters | undefined;
  readonly countsItems: boolean;
  /** Whether the flow becomes one line. */
  inCell: boolean;
  /** Whether the text is part of the page; comments are not. */
  onPage: boolean;
  /**
   * What has been seen in the frame that is being read. A picture behind content only stands for it; behind an object
   * that cannot be read it is all that there is.
   */
  frame: 'empty' | 'object' | 'content';
  /** Whether the document is shown with its tracked changes, and whether the text that is read is not shown for that. */
  showsChanges: boolean;
  isDeleted: boolean;
  /** Characters of the element that is being read, if it is one whose text is not the document's: a setting, a picture. */
  raw: string | undefined;
  footnotes: string[];
  endnotes: string[];
  comments: Comment[];
  /** The cell that is being read, for its comment. */
  cell: () => string | null;
}

export type ReaderOptions = Pick<Reader, 'styles' | 'output'> &
  Partial<Pick<Reader, 'onText' | 'onParagraph' | 'onTable' | 'onImage' | 'countsItems'>>;

/** A document that is being read. */
export interface Reading {
  readonly elements: Elements;
  /** Gets the characters of all elements. */
  text(text: string): void;
  /** What has been read, once the document has ended. */
  parts(): Part[];
}

/** @param family of the styles that text of the body has without any */
export function createReader(options: ReaderOptions, family: string): Reader {
  return {
    styles: options.styles,
    output: options.output,
    onText: options.onText,
    onParagraph: options.onParagraph,
    onTable: options.onTable,
    onImage: options.onImage,
    frame: 'content',
    flow: createFlow(),
    depth: 0,
    family,
    style: options.styles.base(family),
    level: 0,
    item: undefined,
    list: undefined,
    headings: undefined,
    countsItems: options.countsItems ?? false,
    inCell: false,
    onPage: true,
    showsChanges: true,
    isDeleted: false,
    raw: undefined,
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
  const { flow: outer, level, item, list, style, inCell, onPage, depth } = reader;
  Object.assign(reader, { flow, level: 0, item: undefined, list: undefined, depth: depth + 1 }, inner);
  return () => {
    Object.assign(reader, { flow: outer, level, item, list, style, inCell, onPage, depth });
  };
}
