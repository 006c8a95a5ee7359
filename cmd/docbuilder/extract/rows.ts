import type { Budget } from './budget.ts';
import { toLetters } from './list-labels.ts';

/** The rows of a sheet. Empty rows and cells at the end are never built. */
export class Rows {
  /** The place of the next cell, counted from 0. */
  column = 0;
  row = 0;
  readonly #lines: string[] = [];
  readonly #budget: Budget;
  #emptyRows = 0;
  #emptyCells = 0;
  #line = '';

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Adds a cell, `times` over. */
  addCell(text: string, times: number): void {
    this.column += times;
    if (text === '') {
      this.#emptyCells += times;
      return;
    }
    // The text was counted once when it was read.
    this.#budget.take(text, -1);
    this.#line += this.#repeat('\t', this.#emptyCells) + this.#repeat(`${text}\t`, times);
    this.#emptyCells = 0;
  }

  /** Ends the row, which the sheet has `times` over. */
  endRow(times: number): void {
    this.row += times;
    this.column = 0;
    this.#emptyCells = 0;
    if (this.#line === '') {
      this.#emptyRows += times;
      return;
    }
    if (this.#emptyRows > 0) this.#lines.push(this.#repeat('\n', this.#emptyRows).slice(1));
    this.#emptyRows = 0;
    const line = this.#line.slice(0, -1);
    this.#line = '';
    // The row was counted once when it was built.
    const more = this.#budget.take(`${line}\n`, times - 1);
    for (let count = 0; count <= more; count++) this.#lines.push(line);
  }

  /** Returns rows as lines, with tabs between cells. */
  text(): string {
    return this.#lines.join('\n');
  }

  /** Returns the name of the next cell, such as `AB12`. */
  cellName(): string {
    return `${toLetters(this.column + 1)}${this.row + 1}`;
  }

  #repeat(text: string, times: number): string {
    return text.repeat(this.#budget.take(text, times));
  }
}
