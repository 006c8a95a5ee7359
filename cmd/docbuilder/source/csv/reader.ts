import { fileTooLarge } from '../../../../src/common/errors.ts';
import { SHEET } from '../../formats.ts';
import { CsvScanner, type Role } from './scanner.ts';

/** Longest text of a cell in LibreOffice, in UTF-16 units. */
const CELL_LETTERS = 65_535;
/** A number would not bring these back: 0912345678, +84912345678, and more digits than a number keeps. */
const LOSES_DIGITS = /^(?:0\d+|\+\d{8,}|-?\d{16,})$/;
/** No number has so many digits. */
const LONGEST_NUMBER = 1000;

/** The extent of a csv text. Emptiness at the end of a row or of the text does not count. */
export interface CsvSize {
  rows: number;
  columns: number;
  /** Length of the longest line in a field, in UTF-16 units. */
  letters: number;
}

/**
 * Reads a csv text in pieces. It measures it, and puts quotes around fields that the engine would read as numbers and so
 * change: phone numbers lose their zero, account numbers their last digits. Quoted fields stay text.
 */
export class CsvReader {
  readonly #scanner: CsvScanner;
  readonly size: CsvSize = { rows: 0, columns: 0, letters: 0 };
  #row = 1;
  #column = 1;
  #letters = 0;
  /** The field has had nothing but a sign and digits so far. */
  #isNumber = true;
  /** The beginning of such a field that came in earlier pieces. */
  #held = '';

  constructor(delimiter: string) {
    this.#scanner = new CsvScanner(delimiter);
  }

  /** @returns the text that is ready */
  add(piece: string): string {
    let ready = '';
    /** End of what is ready, and start of the field. */
    let [done, start] = [0, 0];
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index);
      const isFirst = index === start && this.#held === '';
      const role = this.#scanner.next(code);
      this.#measure(role, code);
      if (role === 'text' || role === 'quote') {
        if (this.#isNumber && !isNumberPart(code, isFirst)) {
          this.#isNumber = false;
          ready += this.#held;
          this.#held = '';
        }
        continue;
      }
      if (this.#isNumber) {
        ready += piece.slice(done, start) + this.#quoted(this.#held + piece.slice(start, index));
        done = index;
      }
      this.#held = '';
      this.#isNumber = true;
      start = index + 1;
    }
    return ready + this.#hold(piece, done, start);
  }

  /** @returns the rest, when the text has ended */
  end(): string {
    return this.#quoted(this.#held);
  }

  /** Keeps the number at the end of a piece, which may go on in the next. @returns the text before it */
  #hold(piece: string, done: number, start: number): string {
    const number = this.#held + piece.slice(start);
    if (!this.#isNumber) return piece.slice(done);
    if (number.length <= LONGEST_NUMBER) {
      this.#held = number;
      return piece.slice(done, start);
    }
    const held = this.#held;
    this.#held = '';
    this.#isNumber = false;
    return held + piece.slice(done);
  }

  /** Fields whose limits are unclear are left as they are. */
  #quoted(field: string): string {
    return !this.#scanner.isUnclear && LOSES_DIGITS.test(field) ? `"${field}"` : field;
  }

  #measure(role: Role, code: number): void {
    if (role === 'text' || role === 'quote') {
      this.size.rows = this.#row;
      this.size.columns = Math.max(this.size.columns, this.#column);
      this.#countLetter(role, code);
      return;
    }
    this.#letters = 0;
    if (role === 'separator') this.#column += 1;
    else this.#column = 1;
    if (role === 'end') this.#row += 1;
  }

  /** The quotes around a field are none of its letters; the second of two is. */
  #countLetter(role: Role, code: number): void {
    if (role === 'quote' && (!this.#scanner.isQuoted || this.#letters === 0)) return;
    // A quote that is never closed is a mere letter to LibreOffice: the lines behind it are no long field.
    const isLineBreak = role === 'text' && this.#scanner.isQuoted && (code === 0x0a || code === 0x0d);
    this.#letters = isLineBreak ? 0 : this.#letters + 1;
    this.size.letters = Math.max(this.size.letters, this.#letters);
  }
}

function isNumberPart(code: number, isFirst: boolean): boolean {
  const isDigit = code >= 0x30 && code <= 0x39;
  const isSign = code === 0x2b || code === 0x2d;
  return isDigit || (isSign && isFirst);
}

/**
 * Refuses a text that no sheet has room for: the engine would leave the rest out without a word.
 * @param cellLetters longest text of a cell in the target, where that is less than in LibreOffice
 * @throws {AppError} `file_too_large`
 */
export function assertFitsSheet(
  { rows, columns, letters }: CsvSize,
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
