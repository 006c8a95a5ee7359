import { fileTooLarge } from '../../../src/common/errors.ts';
import type { Family } from '../formats.ts';
import { addMark, addText, createFlow, type Flow, type Part } from './flow.ts';
import type { Elements, Open } from './sax.ts';
import { type ListCounter, Styles, type TextStyle } from './styles.ts';

/** Counts the text that is read, so that a small document with repeated text cannot fill the memory. */
export interface Budget {
  /**
   * Counts `text` `times` before it is built; a negative number takes it back.
   * @returns how often to build it
   * @throws {AppError} `file_too_large` {limit_mb, subject: 'output'}
   */
  take(text: string, times?: number): number;
}

/** Creates a budget of bytes in UTF-8. @param copies how often the result, of `maxBytes` at most, contains the text */
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

/** The budget of metadata, which builds repeated text once. */
export const ONCE: Budget = { take: (_, times = 1) => Math.min(times, 1) };

/** A comment; `cell` is its place in a sheet. */
export interface Comment {
  author: string | null;
  cell: string | null;
  text: string;
}

/** The style family of text without a style. */
const BASE_FAMILY: Record<Family, string> = { text: 'paragraph', sheet: 'table-cell', slides: 'graphic' };

export interface ReaderOptions {
  budget: Budget;
  /** Receives all text of the page with its style. */
  onText?: (text: string, style: TextStyle) => void;
}

/** The state of reading a document, which the handlers of elements share. */
export class Reader {
  readonly family: Family;
  readonly budget: Budget;
  readonly styles = new Styles();
  readonly #onText: ReaderOptions['onText'];
  /** The current flow, and the number of flows around it. */
  flow = createFlow();
  depth = 0;
  style: TextStyle;
  /** The number of lists around. */
  listLevel = 0;
  /** The list item, with the label by LibreOffice, until its first paragraph has it. */
  listItem: { label: string; start: number | undefined } | undefined;
  /** Counters for labels that LibreOffice does not write. */
  list: ListCounter | undefined;
  headings: ListCounter | undefined;
  /** The flow becomes one line. */
  inCell = false;
  /** The text is part of the page; comments are not. */
  onPage = true;
  /** The content of the frame: an image beside other content is a picture of that. */
  frame: 'empty' | 'object' | 'formula' | 'content' = 'content';
  /** The document is shown with its changes; otherwise deleted text is left out. */
  showsChanges = true;
  isDeleted = false;
  /** Characters for the handler that captures them. */
  #captured: string | undefined;
  footnotes: string[] = [];
  endnotes: string[] = [];
  comments: Comment[] = [];
  /** Returns the name of the cell that is being read. */
  cell: () => string | null = () => null;
  /** Tables that are no sheets, and pictures. */
  tables = 0;
  images = 0;

  constructor(family: Family, { budget, onText }: ReaderOptions) {
    this.family = family;
    this.budget = budget;
    this.#onText = onText;
    this.style = this.styles.base(BASE_FAMILY[family]);
  }

  /**
   * Sends text to another flow until the returned function is called.
   * @param use receives the flow when the state around has been restored
   */
  divert(
    inner: Partial<Pick<Reader, 'style' | 'inCell' | 'onPage'>>,
    use: (flow: Flow) => void = () => undefined,
    flow = createFlow(),
  ): () => void {
    const { flow: outer, listLevel, listItem, list, style, inCell, onPage, depth } = this;
    Object.assign(this, { flow, listLevel: 0, listItem: undefined, list: undefined, depth: depth + 1 }, inner);
    return () => {
      Object.assign(this, { flow: outer, listLevel, listItem, list, style, inCell, onPage, depth });
      use(flow);
    };
  }

  /** Returns a handler of an element whose text goes to `use` and not to the page. */
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

  /** Adds text that the document has as an element, such as a tab. */
  addMark(mark: string): void {
    const { paragraph } = this.flow;
    if (!paragraph || this.style.hidden || this.isDeleted) return;
    this.budget.take(mark);
    addMark(paragraph, mark);
  }

  /** Applies a style until the returned function restores the style around. */
  applyStyle(family: string, name: string | undefined): (() => void) | undefined {
    return name === undefined ? undefined : this.#setStyle(this.styles.apply(this.style, family, name));
  }

  /** Applies the default style of the family, after the document's styles have been read. */
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

/** The handlers of a family's own elements, and a function that returns the parts at the end of the document. */
export interface Reading {
  elements: Elements;
  parts(): Part[];
}
