import { fileTooLarge } from '../../../../src/common/errors.ts';
import { SHEET } from '../../formats.ts';

/** UTF-16 units of a cell in LibreOffice. */
const CELL_LETTERS = 65_535;

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/**
 * How many rows and columns a csv text has, and letters in a field, from its pieces. What is empty at the end of a row
 * or of the text does not count. Quotes are understood as in domain/csv.ts.
 */
export class CsvSize {
  rows = 0;
  columns = 0;
  /** Of the longest line in a field, in UTF-16 units. */
  letters = 0;
  readonly delimiter: string;
  readonly #delimiter: number | undefined;
  #row = 1;
  #column = 1;
  #letters = 0;
  #quoted = false;
  /** What stood before: whether a quote opens a quoted field, and whether a line feed belongs to a return. */
  #opens = true;
  #returned = false;

  constructor(delimiter: string) {
    this.delimiter = delimiter;
    this.#delimiter = delimiter.codePointAt(0);
  }

  add(text: string): void {
    for (let index = 0; index < text.length; index += 1) this.#take(text.charCodeAt(index));
  }

  #take(letter: number): void {
    const returned = this.#returned;
    this.#returned = false;
    if (this.#quoted) {
      if (letter === QUOTE) this.#quoted = false;
      // A quote that is never closed is a mere letter to LibreOffice: what follows it is no long field.
      else if (letter === LINE_FEED || letter === RETURN) this.#letters = 0;
      else this.#count();
      // One right after this opens it again.
      this.#opens = letter === QUOTE;
    } else if (letter === LINE_FEED || letter === RETURN) {
      this.#returned = letter === RETURN;
      if (letter === RETURN || !returned) this.#row += 1;
      this.#column = 0;
      this.#beginField();
    } else if (letter === this.#delimiter) {
      this.#beginField();
    } else {
      this.#quoted = letter === QUOTE && this.#opens;
      this.#opens = false;
      // The first quote of a field is none of its letters, a second one is.
      if (!this.#quoted || this.#letters > 0) this.#count();
      this.rows = this.#row;
      if (this.#column > this.columns) this.columns = this.#column;
    }
  }

  #beginField(): void {
    this.#column += 1;
    this.#letters = 0;
    this.#opens = true;
  }

  #count(): void {
    this.#letters += 1;
    if (this.#letters > this.letters) this.letters = this.#letters;
  }
}

/**
 * Refuses what no sheet has room for: the engine would leave the rest out without a word.
 * @param cellLetters what a cell of the target has room for, where that is less than in LibreOffice
 * @throws {AppError} `file_too_large`
 */
export function assertFitsSheet(
  { rows, columns, letters }: Pick<CsvSize, 'rows' | 'columns' | 'letters'>,
  maxFileBytes: number,
  cellLetters = CELL_LETTERS,
): void {
  if (rows > SHEET.rows) throw fileTooLarge(maxFileBytes, { reason: 'too_many_rows', limit_rows: SHEET.rows });
  if (columns > SHEET.columns) {
    throw fileTooLarge(maxFileBytes, { reason: 'too_many_columns', limit_columns: SHEET.columns });
  }
  if (letters > cellLetters) {
    throw fileTooLarge(maxFileBytes, { reason: 'too_long_cells', limit_characters: cellLetters });
  }
}
