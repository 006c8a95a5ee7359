import type { Cell, Script, Sheet } from '../../../src/common/generated/script.ts';
import { MARKER } from '../arbitraries/words.ts';
import { CROWDED } from '../support/known-losses.ts';
import { paperOf } from './paper.ts';
import { type CellLook, cellsOf, firstShown, letter } from './sheet.ts';

/**
 * The texts of a script of sheets that its PDF shows: what is hidden or outside of the printed range is not, and what is
 * wider or higher than its cell is cut off.
 */
export function* printedTexts({ sheets = [] }: Script): Generator<{ pointer: string; text: string }> {
  const shown = firstShown(sheets);
  for (const [index, sheet] of sheets.entries()) {
    if (sheet.hidden && index !== shown) continue;
    for (const [row, content] of sheet.rows.entries()) {
      for (const [column, cell] of cellsOf(content).entries()) {
        const text = textOf(cell);
        if (!MARKER.test(text) || !within(sheet.print?.area, row, column)) continue;
        const own: { height?: number } = Array.isArray(content) ? {} : content;
        const look = { ...sheet.columns?.[column], ...own, ...(typeof cell === 'object' && cell) } as CellLook;
        const { width = DEFAULT_WIDTH, hidden } = sheet.columns?.[column] ?? {};
        if (hidden || !fits(text, look, width, own.height)) continue;
        const place = hasRoom(sheet, column, width) ? '' : `, ${CROWDED}`;
        yield { pointer: `/sheets/${index}/rows/${row}/${column}${place}`, text };
      }
    }
  }
}

/** Millimetres. */
const DEFAULT_WIDTH = 22;
const DEFAULT_MARGIN = 30;
const MM_PER_POINT = 25.4 / 72;

/** Whether a text is in its cell for certain, by a wide guess. */
function fits(text: string, { size = 11 }: CellLook, width: number, height = 400): boolean {
  const lines = text.split('\n');
  const widest = Math.max(...lines.map((line) => line.replaceAll('\t', '        ').length));
  return widest * size * MM_PER_POINT * 0.9 + 3 < width && lines.length * size * MM_PER_POINT * 1.6 < height;
}

/** Whether a column is on one page for certain, together with those that come again on each. */
function hasRoom({ columns = [], print = {} }: Sheet, column: number, width: number): boolean {
  const { width: paper } = paperOf({ orientation: 'portrait', ...print });
  const { left = DEFAULT_MARGIN, right = DEFAULT_MARGIN } = print.margins ?? {};
  let room = paper - left - right - width;
  for (let repeated = 0; repeated < (print.repeat_columns ?? 0); repeated++) {
    if (repeated !== column) room -= columns[repeated]?.width ?? Number.POSITIVE_INFINITY;
  }
  return room >= 0;
}

function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  return typeof cell === 'object' && cell?.type === 'string' ? cell.value : '';
}

function within(area: string | undefined, row: number, column: number): boolean {
  if (area === undefined) return true;
  const [left = '', top, right = '', bottom] =
    area
      .replaceAll('$', '')
      .toUpperCase()
      .match(/[A-Z]+|\d+/g) ?? [];
  const name = letter(column);
  return name >= left && name <= right && row + 1 >= Number(top) && row + 1 <= Number(bottom);
}
