import type { Border, TableCell, TableCellObject, TableColumn } from '../../../src/common/generated/script.ts';
import { type Attributes, pt } from './xml.ts';

/** The line of a table whose script does not say. */
const LINE = { width: 0.5, color: '#A6A6A6' };
const NO_LINE = 'none';

/** The lines of a table that are drawn. */
export type Lines = 'all' | 'horizontal' | 'outer' | 'none';

/** The place of a cell in its table. */
export interface CellPlace {
  firstRow: boolean;
  lastRow: boolean;
  firstColumn: boolean;
  lastColumn: boolean;
}

/** A cell as an object, whichever way it was written. */
export function cellObject(cell: TableCell): TableCellObject {
  return typeof cell === 'object' ? cell : { text: String(cell) };
}

/** A column as an object, whichever way it was written. */
export function columnObject(column: TableColumn = {}): Exclude<TableColumn, number> {
  return typeof column === 'object' ? column : { width: column };
}

/** Absolute widths of `count` columns that share `total` in proportion to their relative widths (1 without). */
export function columnWidths(columns: readonly TableColumn[] | undefined, count: number, total: number): number[] {
  const relative = Array.from({ length: count }, (_, index) => columnObject(columns?.[index]).width ?? 1);
  const sum = relative.reduce((left, right) => left + right, 0);
  return relative.map((width) => (total * width) / sum);
}

/** A line as the value of `fo:border`. */
export function lineValue({ width = LINE.width, color = LINE.color }: Border = {}): string {
  return width === 0 ? NO_LINE : `${pt(width)} solid ${color}`;
}

/** Borders that the cells beside a cell have of their own. */
export interface Neighbours {
  top?: Border | undefined;
  right?: Border | undefined;
  bottom?: Border | undefined;
  left?: Border | undefined;
}

/**
 * The borders of a cell as attributes of `style:table-cell-properties`. A border of the cell's own is drawn all
 * around it, whatever the table says; that of a neighbour, on their common side: readers differ in whose line wins.
 */
export function cellBorders(
  lines: Lines,
  line: Border | undefined,
  place: CellPlace,
  own?: Border,
  neighbours: Neighbours = {},
): Attributes {
  if (own) return { 'fo:border': lineValue({ ...line, ...own }) };
  const drawn = lineValue(line);
  const side = (neighbour: Border | undefined, ruled: boolean): string =>
    neighbour ? lineValue({ ...line, ...neighbour }) : ruled ? drawn : NO_LINE;
  const [all, outer, across] = [lines === 'all', lines === 'outer', lines === 'all' || lines === 'horizontal'];
  return {
    'fo:border-top': side(neighbours.top, across || (outer && place.firstRow)),
    'fo:border-right': side(neighbours.right, all || (outer && place.lastColumn)),
    'fo:border-bottom': side(neighbours.bottom, across || (outer && place.lastRow)),
    'fo:border-left': side(neighbours.left, all || (outer && place.firstColumn)),
  };
}

/** Shading, vertical alignment and borders of a cell as attributes of `style:table-cell-properties`. */
export function cellAttributes(
  cell: { background?: string | undefined; valign?: TableCellObject['valign'] | undefined },
  borders: Attributes,
): Attributes {
  return { 'fo:background-color': cell.background, 'style:vertical-align': cell.valign, ...borders };
}
