import type { Cell, NumberFormat, Sheet } from '../../../../src/common/generated/script.ts';
import { formatFor, getCells } from './cells.ts';

/** Millimetres: of a column that nobody gave a width, of a digit in the default font, and of a cell's edges. */
const DEFAULT_WIDTH = 22.58;
const DIGIT = 2;
const EDGES = 3;
const DEFAULT_SIZE = 11;
const BOLD = 1.1;

/** Characters of formats that always show as many. */
const LENGTHS: Partial<Record<NumberFormat, number>> = {
  date: 10,
  date_iso: 10,
  datetime: 16,
  time: 5,
  time_seconds: 8,
  duration: 10,
  scientific: 9,
};
/** Characters of formats besides the digits before the decimal separator and the separators between them. */
const EXTRAS: Partial<Record<NumberFormat, number>> = {
  integer: 0,
  decimal: 3,
  percent: 3,
  percent_decimal: 6,
  vnd: 2,
  usd: 4,
  eur: 5,
};

/**
 * Widths in millimetres of the columns of a sheet; a column without one is as wide as its numbers, dates and times
 * need, because these are shown as `###` where they have no room. Text runs on over empty cells.
 */
export function columnWidths({ columns = [], rows }: Sheet, count: number): (number | undefined)[] {
  const widths = Array.from({ length: count }, (_, column) => columns[column]?.width);
  const needed = new Array<number>(count).fill(0);
  for (const row of rows) {
    const look = Array.isArray(row) ? undefined : row;
    const cells = getCells(row);
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column];
      if (widths[column] !== undefined || cell === null || cell === undefined || typeof cell === 'string') continue;
      const own = typeof cell === 'object' ? cell : undefined;
      const other = columns[column];
      const format = own?.format ?? formatFor(cell, look?.format ?? other?.format);
      const length = format === undefined ? 0 : shownLength(cell, format);
      if (length === 0) continue;
      const size = own?.size ?? look?.size ?? other?.size ?? DEFAULT_SIZE;
      const bold = own?.bold ?? look?.bold ?? other?.bold ?? false;
      const width = (length * DIGIT * size * (bold ? BOLD : 1)) / DEFAULT_SIZE + EDGES;
      if (width > (needed[column] ?? 0)) needed[column] = width;
    }
  }
  return widths.map((width, column) => width ?? atLeastDefault(needed[column]));
}

function atLeastDefault(width = 0): number | undefined {
  return width > DEFAULT_WIDTH ? width : undefined;
}

/** Returns the number of characters that a number, date or time has with its format; 0 if it cannot be told. */
function shownLength(cell: Cell, format: NumberFormat): number {
  const fixed = LENGTHS[format];
  if (fixed !== undefined) return fixed;
  const extra = EXTRAS[format];
  const value = typeof cell === 'object' && cell !== null && 'value' in cell ? cell.value : cell;
  if (extra === undefined || typeof value !== 'number') return 0;
  const digits = Math.max(1, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return digits + Math.floor((digits - 1) / 3) + extra + (value < 0 ? 1 : 0);
}
