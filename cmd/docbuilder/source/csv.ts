import { fileTooLarge } from '../../../src/common/errors.ts';
import { SHEET } from '../formats.ts';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The role of one character of csv text. `skip` is the line feed after a carriage return. */
type Role = 'text' | 'quote' | 'separator' | 'end' | 'skip';

/**
 * Finds the role of each character of csv text, as LibreOffice and Excel read it: a quote opens a quoted field only at the
 * start of a field (5" opens nothing), and one directly after a closing quote opens it again.
 */
class CsvScanner {
  readonly #separators: readonly number[];
  #state: 'start' | 'inside' | 'quoted' | 'closed' = 'start';
  #afterReturn = false;
  /** Text has followed a closing quote, and programs disagree where such fields end. */
  isUnclear = false;

  constructor(separators: string) {
    this.#separators = [...separators].map((separator) => separator.charCodeAt(0));
  }

  /** The next character is inside quotes. */
  get isQuoted(): boolean {
    return this.#state === 'quoted';
  }

  /** The next character begins a field. */
  get isAtStart(): boolean {
    return this.#state === 'start';
  }

  /** Returns the role of the next UTF-16 code unit. */
  next(code: number): Role {
    const afterReturn = this.#afterReturn;
    this.#afterReturn = false;
    if (this.#state === 'quoted') {
      if (code !== QUOTE) return 'text';
      this.#state = 'closed';
      return 'quote';
    }
    if (code === LINE_FEED || code === RETURN) {
      this.#afterReturn = code === RETURN;
      this.#state = 'start';
      return afterReturn && code === LINE_FEED ? 'skip' : 'end';
    }
    if (this.#separators.includes(code)) {
      this.#state = 'start';
      return 'separator';
    }
    if (code === QUOTE && this.#state !== 'inside') {
      this.#state = 'quoted';
      return 'quote';
    }
    if (this.#state === 'closed') this.isUnclear = true;
    this.#state = 'inside';
    return 'text';
  }
}

/** Longest text of a cell in LibreOffice, in UTF-16 units. */
const CELL_LETTERS = 65_535;
/**
 * Fields that lose digits as numbers: 0912345678, +84912345678, and over 15 digits before a decimal point. LibreOffice
 * ignores blanks around a number.
 */
const LOSES_DIGITS = /^[ \u00a0]*(?:[-+]?0\d+(?:\.\d*)?|\+\d{8,}|[-+]?\d{16,}(?:\.\d*)?)[ \u00a0]*$/;
/** LibreOffice reads 1,234 as 1234, also where a comma is the decimal separator; it reads 12,5 as text. */
const HAS_COMMA = /^[ \u00a0]*[-+]?\d+(?:,\d{3})+(?:\.\d*)?(?:e[-+]?\d+)?[ \u00a0]*$/i;

/** The extent of a csv text, without empty fields and rows at its ends. */
export interface CsvSize {
  rows: number;
  columns: number;
  /** Length of the longest line in a field, in UTF-16 units. */
  letters: number;
}

/**
 * Reads a csv text in pieces. It measures the text, and quotes fields that LibreOffice would change because it reads them
 * as numbers. Quoted fields stay text.
 */
export class CsvReader {
  readonly #scanner: CsvScanner;
  readonly size: CsvSize = { rows: 0, columns: 0, letters: 0 };
  #row = 1;
  #column = 1;
  #letters = 0;

  constructor(delimiter: string) {
    this.#scanner = new CsvScanner(delimiter);
  }

  /** Returns the next piece with quotes added. @param piece ends with a field, or inside one that is no number */
  add(piece: string): string {
    let ready = '';
    let done = 0;
    // A piece may begin inside a field.
    let start = this.#scanner.isAtStart ? 0 : -1;
    for (let index = 0; index <= piece.length; index += 1) {
      if (index < piece.length && !this.#endsField(piece.charCodeAt(index))) continue;
      const isField = start >= 0 && !this.#scanner.isUnclear;
      const field = isField ? piece.slice(start, index) : '';
      if (LOSES_DIGITS.test(field) || HAS_COMMA.test(field)) {
        ready += `${piece.slice(done, start)}"${field}"`;
        done = index;
      }
      start = index + 1;
    }
    return ready + piece.slice(done);
  }

  #endsField(code: number): boolean {
    const role = this.#scanner.next(code);
    this.#measure(role, code);
    return role !== 'text' && role !== 'quote';
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

  /** The quotes around a field do not count, the second of two does. */
  #countLetter(role: Role, code: number): void {
    if (role === 'quote' && (!this.#scanner.isQuoted || this.#letters === 0)) return;
    // To LibreOffice a quote that is never closed is a letter, and the lines after it are no field.
    const isLineBreak = role === 'text' && this.#scanner.isQuoted && (code === LINE_FEED || code === RETURN);
    this.#letters = isLineBreak ? 0 : this.#letters + 1;
    this.size.letters = Math.max(this.size.letters, this.#letters);
  }
}

/**
 * Refuses a text that is too large for a sheet: LibreOffice leaves out the rest and reports nothing.
 * @param cellLetters longest text of a cell in the target
 * @throws {AppError} `file_too_large`
 */
export function assertFitsSheet(size: CsvSize, maxFileBytes: number, cellLetters = CELL_LETTERS): void {
  const { rows, columns } = SHEET;
  const tooLarge = (reason: string, limit: object) => fileTooLarge(maxFileBytes, { reason, ...limit });
  if (size.rows > rows) throw tooLarge('too_many_rows', { limit_rows: rows });
  if (size.columns > columns) throw tooLarge('too_many_columns', { limit_columns: columns });
  if (size.letters > cellLetters) throw tooLarge('too_long_cells', { limit_characters: cellLetters });
}

/** Field separators, the likelier first. */
const CANDIDATES = [',', ';', '\t', '|'] as const;
type Counts = Record<(typeof CANDIDATES)[number] | 'decimal', number>;

const MAX_RECORDS = 1000;

/** Reads a first line `sep=;`, by which Excel finds the separator, and which is not data. */
export function parseSeparatorLine(text: string): { delimiter: string; length: number } | undefined {
  const [line, delimiter] = /^sep=([^\r\n])(?:\r\n|\r|\n|$)/i.exec(text) ?? [];
  return line !== undefined && delimiter !== undefined ? { delimiter, length: line.length } : undefined;
}

/**
 * Finds the field separator of csv text: the one that splits most records into the same number of fields, and of
 * those the one that makes most fields.
 * @param text the beginning of the file
 * @param complete `text` is all of the file; otherwise its last record is ignored, because it may be cut
 */
export function detectDelimiter(text: string, complete: boolean, fallback: ',' | '\t' = ','): string {
  const named = parseSeparatorLine(text);
  if (named) return named.delimiter;
  const records = countSeparators(text);
  if (!complete && records.length > 1) records.pop();
  let best: { delimiter: string; agreement: number; count: number } = { delimiter: fallback, agreement: 0, count: 0 };
  for (const delimiter of CANDIDATES) {
    const counts = records.map((record) => record[delimiter]);
    const count = mostFrequent(counts);
    if (count === 0) continue;
    const agreement = counts.filter((value) => value === count).length / counts.length;
    // Decimal commas split numbers as evenly as separators.
    const weight = delimiter === ',' ? count - mostFrequent(records.map((record) => record.decimal)) : count;
    if (agreement > best.agreement || (agreement === best.agreement && weight > best.count)) {
      best = { delimiter, agreement, count: weight };
    }
  }
  return best.delimiter;
}

/** Counts each candidate outside quotes in each record. Empty lines are no records. */
function countSeparators(text: string): Counts[] {
  const records: Counts[] = [];
  const scanner = new CsvScanner(CANDIDATES.join(''));
  let record: Counts | undefined;
  for (let index = 0; index < text.length && records.length <= MAX_RECORDS; index++) {
    const role = scanner.next(text.charCodeAt(index));
    if (role === 'end' || role === 'skip') {
      record = undefined;
      continue;
    }
    if (!record) {
      record = { ',': 0, ';': 0, '\t': 0, '|': 0, decimal: 0 };
      records.push(record);
    }
    if (role !== 'separator') continue;
    record[text.charAt(index) as keyof Counts] += 1;
    if (/^\d,\d$/.test(text.slice(Math.max(0, index - 1), index + 2))) record.decimal += 1;
  }
  return records.slice(0, MAX_RECORDS);
}

function mostFrequent(values: number[]): number {
  const times = new Map<number, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times].sort(([a, x], [b, y]) => y - x || b - a)[0]?.[0] ?? 0;
}
