/** A range of cells; columns and rows counted from 0, both ends included. */
export interface Range {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const LAST_COLUMN = 16_383;
const LAST_ROW = 1_048_575;
const RANGE = /^\$?([A-Za-z]+)\$?(\d+):\$?([A-Za-z]+)\$?(\d+)$/;

/** A range such as `A1:D20`, whichever corners it names; what is beyond the last cell of a sheet is cut off. */
export function parseRange(text: string): Range {
  const [, firstColumn = 'A', firstRow = '1', secondColumn = 'A', secondRow = '1'] = RANGE.exec(text) ?? [];
  const columns = [columnIndex(firstColumn), columnIndex(secondColumn)];
  const rows = [Number(firstRow) - 1, Number(secondRow) - 1];
  return {
    left: Math.min(LAST_COLUMN, ...columns),
    top: Math.min(LAST_ROW, ...rows),
    right: Math.min(LAST_COLUMN, Math.max(...columns)),
    bottom: Math.min(LAST_ROW, Math.max(...rows)),
  };
}

/** A range as the value of an attribute (ODF 1.3 part 3, 18.3.6 cellRangeAddress). */
export function rangeAddress(sheet: string, { left, top, right, bottom }: Range): string {
  const name = `'${sheet.replaceAll("'", "''")}'`;
  return `${name}.${columnLetters(left)}${top + 1}:${name}.${columnLetters(right)}${bottom + 1}`;
}

function columnIndex(letters: string): number {
  return [...letters.toUpperCase()].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function columnLetters(index: number): string {
  const letters = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letters : columnLetters(Math.floor(index / 26) - 1) + letters;
}
