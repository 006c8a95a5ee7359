import type { Border, Table, TableCell, TableCellObject, TableColumn } from '../../../src/common/generated/script.ts';
import { type Attributes, pt } from './xml.ts';

const LINE = { width: 0.5, color: '#A6A6A6' };
const NO_LINE = 'none';

const SIDES = ['top', 'right', 'bottom', 'left'] as const;
export type Sides<Value> = Record<(typeof SIDES)[number], Value>;

/** A cell in its long form. */
export function cellObject(cell: TableCell): TableCellObject {
  return typeof cell === 'object' ? cell : { text: String(cell) };
}

/** A column in its long form. */
export function columnObject(column: TableColumn = {}): Exclude<TableColumn, number> {
  return typeof column === 'object' ? column : { width: column };
}

/** Widths of `count` columns that share `total` in proportion to their relative widths (default 1). */
export function columnWidths(columns: readonly TableColumn[] | undefined, count: number, total: number): number[] {
  const relative = Array.from({ length: count }, (_, index) => columnObject(columns?.[index]).width ?? 1);
  const sum = relative.reduce((left, right) => left + right, 0);
  return relative.map((width) => (total * width) / sum);
}

/** A line as the value of `fo:border`. */
export function lineValue({ width = LINE.width, color = LINE.color }: Border = {}): string {
  return width === 0 ? NO_LINE : `${pt(width)} solid ${color}`;
}

interface CellLines {
  drawn?: Table['borders'] | undefined;
  line?: Border | undefined;
  /** The cell's own border, which replaces the table's on all sides. */
  own?: Border | undefined;
  /** The edges of the table that the cell touches. */
  ends?: Sides<boolean>;
  /** Own borders of the cells around it, for the common sides: readers differ in whose line wins. */
  neighbours?: Sides<Border | undefined> | undefined;
}

/** The borders of a cell as attributes of `style:table-cell-properties`. */
export function cellBorders({ drawn = 'all', line, own, ends, neighbours }: CellLines): Attributes {
  if (own) return { 'fo:border': lineValue({ ...line, ...own }) };
  const borders = SIDES.map((side) => {
    const neighbour = neighbours?.[side];
    if (neighbour) return [`fo:border-${side}`, lineValue({ ...line, ...neighbour })];
    const isAcross = side === 'top' || side === 'bottom';
    const isDrawn = drawn === 'all' || (drawn === 'horizontal' && isAcross) || (drawn === 'outer' && ends?.[side]);
    return [`fo:border-${side}`, isDrawn ? lineValue(line) : NO_LINE];
  });
  return Object.fromEntries(borders);
}
