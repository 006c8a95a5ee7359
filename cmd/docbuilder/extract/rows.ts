import type { Output } from './output.ts';

/** Collects the rows of a sheet without ever making its empty ends. */
export interface Rows {
  /** Where the next cell stands, counted from 0. */
  readonly column: number;
  readonly row: number;
  /** Adds a cell, `times` over. */
  cell(text: string, times: number): void;
  /** Ends the row, which stands there `times` over. */
  endRow(times: number): void;
  /** Rows as lines, cells separated by tabs. */
  text(): string;
}

/** @param output counts what is repeated before it is made */
export function createRows(output: Output): Rows {
  const lines: string[] = [];
  let emptyRows = 0;
  let row = 0;
  let column = 0;
  let line = '';
  let emptyCells = 0;

  const repeat = (text: string, times: number): string => text.repeat(output.take(text, times));

  return {
    get column() {
      return column;
    },
    get row() {
      return row;
    },
    cell(text, times) {
      if (text === '') emptyCells += times;
      else {
        // The text was counted once when it was read.
        output.take(text, -1);
        const before = repeat('\t', emptyCells);
        const cells = repeat(`${text}\t`, times);
        line += before + cells;
        emptyCells = 0;
      }
      column += times;
    },
    endRow(times) {
      if (line === '') emptyRows += times;
      else {
        if (emptyRows > 0) lines.push(repeat('\n', emptyRows).slice(1));
        emptyRows = 0;
        // Of a tab too many there is one, after the last cell. The row was counted once when it was made.
        const made = line.slice(0, -1);
        const more = output.take(`${made}\n`, times - 1);
        for (let count = 0; count <= more; count++) lines.push(made);
      }
      row += times;
      line = '';
      column = 0;
      emptyCells = 0;
    },
    text: () => lines.join('\n'),
  };
}

/** A cell's name such as `AB12`, from its place counted from 0. */
export function cellName(column: number, row: number): string {
  return `${lettersOf(column + 1)}${row + 1}`;
}

/** A number from 1 as letters: after Z comes AA, then AB. */
export function lettersOf(number: number): string {
  let letters = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
