import { fileTooLarge } from '../../../src/common/errors.ts';
import type { Family } from '../formats.ts';
import { addMark, addText, createFlow, type Flow, type Part } from './flow.ts';
import type { Elements, Open } from './sax.ts';
import type { ListCounter } from './styles.ts';
import { Styles, type TextStyle } from './styles.ts';

/** Counts the text that is read, so that a small document that repeats itself cannot fill the memory. */
export interface Budget {
  /**
   * Counts `text` in, `times` over, before it is built; a negative number takes it back.
   * @returns how often to build it
   * @throws {AppError} `file_too_large` {limit_mb, subject: 'output'}
   */
  take(text: string, times?: number): number;
}

/**
 * Creates a budget of bytes in UTF-8.
 * @param copies how often the text stands in the result that has `maxBytes` at most
 */
export function createBudget(maxBytes: number, copies: number): Budget {
  let bytes = 0;
  return {
    take(text, times = 1) {
      bytes += Buffer.byteLength(text) * times * copies;
      if (bytes > maxBytes) throw fileTooLarge(maxBytes, { subject: 'output' });
      return times;
    },
  };
}

/** Builds repeated text once: for metadata the text itself does not matter. */
export const ONCE: Budget = { take: (_, times = 1) => Math.min(times, 1) };

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

/** The style family of text in a body that names no style. */
const BASE_FAMILY: Record<Family, string> = { text: 'paragraph', sheet: 'table-cell', slides: 'graphic' };

export interface ReaderOptions {
  budget: Budget;
  /** Receives every piece of text that is shown, with its style. */
  onText?: (text: string, style: TextStyle) => void;
}

/** The state that the handlers of elements share while a document is read. */
export class Reader {
  readonly family: Family;
  readonly budget: Budget;
  readonly styles = new Styles();
  readonly #onText: ReaderOptions['onText'];
  /** The flow that text goes to now, and the number of flows around it. */
  flow = createFlow();
  depth = 0;
  style: TextStyle;
  /** The levels of lists around. */
  listLevel = 0;
  /** The list item that is being read, until its first paragraph takes its label. */
  listItem: ListItem | undefined;
  /** Counters for labels that LibreOffice does not write: those of slides and of headings. */
  list: ListCounter | undefined;
  headings: ListCounter | undefined;
  /** Set where the flow becomes one line. */
  inCell = false;
  /** Set where the text is part of the page; comments are not. */
  onPage = true;
  /** The content of the frame that is being read: an image beside other content only stands for it. */
  frame: 'empty' | 'object' | 'formula' | 'content' = 'content';
  /** Set where tracked changes are shown, and where the text that is read is deleted and not shown. */
  showsChanges = true;
  isDeleted = false;
  /** The characters of an element that holds nothing but text, which is not text of the page. */
  #captured: string | undefined;
  footnotes: string[] = [];
  endnotes: string[] = [];
  comments: Comment[] = [];
  /** Returns the cell that is being read, for its comment. */
  cell: () => string | null = () => null;
  /** Tables that are not sheets, and shown pictures. */
  tables = 0;
  images = 0;

  constructor(family: Family, { budget, onText }: ReaderOptions) {
    this.family = family;
    this.budget = budget;
    this.#onText = onText;
    this.style = this.styles.base(BASE_FAMILY[family]);
  }

  /** Sends text to another flow until the returned function is called; the state around is then restored. */
  divert(flow: Flow, inner: Partial<Pick<Reader, 'style' | 'inCell' | 'onPage'>> = {}): () => void {
    const { flow: outer, listLevel, listItem, list, style, inCell, onPage, depth } = this;
    Object.assign(this, { flow, listLevel: 0, listItem: undefined, list: undefined, depth: depth + 1 }, inner);
    return () => {
      Object.assign(this, { flow: outer, listLevel, listItem, list, style, inCell, onPage, depth });
    };
  }

  /** Handles an element that holds nothing but text, which goes to `use` and not to the page. */
  capture(use: (text: string) => void): Open {
    return () => {
      const outer = this.#captured;
      this.#captured = '';
      return () => {
        const text = this.#captured ?? '';
        this.#captured = outer;
        use(text);
      };
    };
  }

  /** Adds characters of the document. */
  addText(text: string): void {
    if (this.#captured !== undefined) {
      this.#captured += text;
      return;
    }
    const { paragraph } = this.flow;
    if (!paragraph || this.style.hidden || this.isDeleted) return;
    const shown = addText(paragraph, text);
    this.budget.take(shown);
    if (shown !== '' && this.onPage) this.#onText?.(shown, this.style);
  }

  /** Adds text that is not in the document as characters, such as a tab. */
  addMark(mark: string): void {
    const { paragraph } = this.flow;
    if (!paragraph || this.style.hidden || this.isDeleted) return;
    this.budget.take(mark);
    addMark(paragraph, mark);
  }

  /** Applies a style to the elements inside. @returns what restores the style around */
  applyStyle(family: string, name: string | undefined): (() => void) | undefined {
    return name === undefined ? undefined : this.#setStyle(this.styles.apply(this.style, family, name));
  }

  /** Restores the default style of the family; the styles of the document are known by then. */
  resetStyle(): () => void {
    return this.#setStyle(this.styles.base(BASE_FAMILY[this.family]));
  }

  #setStyle(style: TextStyle): () => void {
    const around = this.style;
    this.style = style;
    return () => {
      this.style = around;
    };
  }
}

/** The handlers of one family's own elements, and the parts that have been read once the document has ended. */
export interface Reading {
  elements: Elements;
  parts(): Part[];
}
