import type { Family } from '../formats.ts';
import type { Budget } from './budget.ts';
import { addMark, addText, createFlow, type Flow } from './flow.ts';
import type { ListCounter } from './list-labels.ts';
import type { Part } from './parts.ts';
import type { Attributes, Elements, Open } from './sax.ts';
import { createStyles, type Styles, type TextStyle } from './styles.ts';

/** A comment; `cell` is its place in a sheet. */
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

/** The state that the handlers of elements share while a document is read. */
export interface Reader {
  readonly family: Family;
  readonly styles: Styles;
  readonly budget: Budget;
  /** Receives every piece of text that is shown, with its style. */
  readonly onText: ((text: string, style: TextStyle) => void) | undefined;
  /** Where text goes now, and the number of flows around it. */
  flow: Flow;
  depth: number;
  style: TextStyle;
  /** The levels of lists around. */
  listLevel: number;
  /** The list item that is being read, until its first paragraph takes its label. */
  listItem: ListItem | undefined;
  /** Counters for labels that LibreOffice does not write: those of slides and of headings. */
  list: ListCounter | undefined;
  headings: ListCounter | undefined;
  /** Set where the flow becomes one line. */
  inCell: boolean;
  /** Set where the text is part of the page; comments are not. */
  onPage: boolean;
  /** The content of the frame that is being read: an image beside other content only stands for it. */
  frame: 'empty' | 'object' | 'content';
  /** Set where tracked changes are shown, and where the text that is read is deleted and not shown. */
  showsChanges: boolean;
  isDeleted: boolean;
  /** The characters of an element that holds nothing but text, which is not text of the page. */
  captured: string | undefined;
  footnotes: string[];
  endnotes: string[];
  comments: Comment[];
  /** The cell that is being read, for its comment. */
  cell: () => string | null;
  /** Tables that are not sheets, and shown pictures. */
  tables: number;
  images: number;
}

/** The handlers of one family's own elements, and the parts that have been read once the document has ended. */
export interface Reading {
  elements: Elements;
  parts(): Part[];
}

export type ReaderOptions = Pick<Reader, 'budget' | 'onText'>;

/** The style family of text in a body that names no style. */
const BASE_FAMILY: Record<Family, string> = { text: 'paragraph', sheet: 'table-cell', slides: 'graphic' };

export function createReader(family: Family, { budget, onText }: ReaderOptions): Reader {
  const styles = createStyles();
  return {
    ...{ family, styles, budget, onText, flow: createFlow(), depth: 0, style: styles.base(BASE_FAMILY[family]) },
    ...{ listLevel: 0, listItem: undefined, list: undefined, headings: undefined },
    ...{ inCell: false, onPage: true, frame: 'content', showsChanges: true, isDeleted: false, captured: undefined },
    ...{ footnotes: [], endnotes: [], comments: [], cell: () => null, tables: 0, images: 0 },
  };
}

/** Sends text to another flow until the returned function is called; the state around is then restored. */
export function divert(
  reader: Reader,
  flow: Flow,
  inner: Partial<Pick<Reader, 'style' | 'inCell' | 'onPage'>> = {},
): () => void {
  const { flow: outer, listLevel, listItem, list, style, inCell, onPage, depth } = reader;
  Object.assign(reader, { flow, listLevel: 0, listItem: undefined, list: undefined, depth: depth + 1 }, inner);
  return () => {
    Object.assign(reader, { flow: outer, listLevel, listItem, list, style, inCell, onPage, depth });
  };
}

/** Reads an element that holds nothing but text, which goes to `use` and not to the page. */
export function capture(reader: Reader, use: (text: string, attributes: Attributes) => void): Open {
  return (attributes) => {
    const outer = reader.captured;
    reader.captured = '';
    return () => {
      const text = reader.captured ?? '';
      reader.captured = outer;
      use(text, attributes);
    };
  };
}

/** Adds characters of the document. */
export function readText(reader: Reader, text: string): void {
  if (reader.captured !== undefined) {
    reader.captured += text;
    return;
  }
  const { paragraph } = reader.flow;
  if (!paragraph || reader.style.hidden || reader.isDeleted) return;
  const shown = addText(paragraph, text);
  reader.budget.take(shown);
  if (shown !== '' && reader.onPage) reader.onText?.(shown, reader.style);
}

/** Adds text that is not in the document as characters, such as a tab. */
export function readMark(reader: Reader, mark: string): void {
  const { paragraph } = reader.flow;
  if (!paragraph || reader.style.hidden || reader.isDeleted) return;
  reader.budget.take(mark);
  addMark(paragraph, mark);
}

/** Applies a style to the elements inside. @returns what restores the style around */
export function applyStyle(reader: Reader, family: string, name: string | undefined): (() => void) | undefined {
  if (name === undefined) return undefined;
  const around = reader.style;
  reader.style = reader.styles.apply(around, family, name);
  return () => {
    reader.style = around;
  };
}

/** Restores the default style of the family; the styles of the document are known by then. */
export function resetStyle(reader: Reader): () => void {
  const around = reader.style;
  reader.style = reader.styles.base(BASE_FAMILY[reader.family]);
  return () => {
    reader.style = around;
  };
}
