import type { Border, Table, TableCell, TableCellObject } from '../../../../src/common/generated/script.ts';
import { lookProperties } from '../inline.ts';
import { properties, type Styles } from '../styles.ts';
import { cellAttributes, cellBorders, cellObject, columnObject, type Neighbours } from '../table.ts';
import { type Attributes, mm } from '../xml.ts';
import { paragraphStyle, textAlign } from './paragraph.ts';
import { runs } from './runs.ts';

/** Between a cell's border and its text; millimetres. In narrow columns the sides give way. */
const PADDING = { side: 1.9, end: 0.9 };
const SIDE_SHARE = 1 / 6;
const HEADER = { background: '#EDEDED', valign: 'middle' } as const;

type CellLook = Omit<TableCellObject, 'text'>;

/** Names of the styles of a cell and of the paragraph in it. */
interface CellStyle {
  cell: string;
  paragraph: string;
}

/** Writes the rows of a table, its header row first. */
export interface TableCells {
  rows: number;
  row(index: number): Iterable<string>;
}

/** @param widths of the columns in millimetres; a row that has fewer cells is filled up with empty ones */
export function tableCells(block: Table, widths: readonly number[], styles: Styles): TableCells {
  const rows: readonly (readonly TableCell[])[] = block.header ? [block.header, ...block.rows] : block.rows;
  const hasHeader = block.header !== undefined;
  const common = new Map<string, CellStyle>();

  function lookOf(row: number, cell: TableCell | undefined): CellLook | undefined {
    const own = typeof cell === 'object' ? cell : undefined;
    return hasHeader && row === 0 ? { ...HEADER, ...block.header_style, ...own } : own;
  }

  function borderOf(row: number, column: number): Border | undefined {
    const cell = rows[row]?.[column];
    return cell === undefined ? undefined : lookOf(row, cell)?.border;
  }

  function hasBorders(row: number): boolean {
    const cells = rows[row];
    if (!cells) return false;
    if (hasHeader && row === 0 && block.header_style?.border) return true;
    return cells.some((cell) => typeof cell === 'object' && cell.border !== undefined);
  }

  function style(row: number, column: number, neighbours?: Neighbours): CellStyle {
    const header = hasHeader && row === 0;
    const look = lookOf(row, rows[row]?.[column]) ?? {};
    const place = {
      firstRow: row === 0,
      lastRow: row === rows.length - 1,
      firstColumn: column === 0,
      lastColumn: column === widths.length - 1,
    };
    const side = Math.min(PADDING.side, (widths[column] ?? 0) * SIDE_SHARE);
    const borders = cellBorders(block.borders ?? 'all', block.border, place, look.border, neighbours);
    const attributes = { ...cellAttributes(look, borders), ...padding(side) };
    const align = textAlign(look.align ?? columnObject(block.columns?.[column]).align);
    const parent = header ? 'Table_20_Heading' : 'Table_20_Contents';
    return {
      cell: styles.style('table-cell', properties('table-cell', attributes)),
      paragraph: paragraphStyle(styles, parent, { 'fo:text-align': align }, lookProperties(letters(look))),
    };
  }

  /** The style of a cell with no border of its own beside it: of few kinds, and asked for in every row. */
  function commonStyle(row: number, column: number, cell: TableCell): CellStyle {
    const kind = row === 0 ? 'first' : row === rows.length - 1 ? 'last' : 'inner';
    const key = `${kind} ${column} ${typeof cell === 'object' ? JSON.stringify({ ...cell, text: '' }) : ''}`;
    const known = common.get(key);
    if (known) return known;
    const made = style(row, column);
    common.set(key, made);
    return made;
  }

  function* row(index: number): Generator<string> {
    const cells = rows[index] ?? [];
    const bordered = hasBorders(index - 1) || hasBorders(index) || hasBorders(index + 1);
    yield '<table:table-row>';
    for (let column = 0; column < widths.length; column++) {
      const cell = cells[column] ?? '';
      const names = bordered ? style(index, column, neighboursOf(index, column)) : commonStyle(index, column, cell);
      yield `<table:table-cell table:style-name="${names.cell}" office:value-type="string">`;
      yield `<text:p text:style-name="${names.paragraph}">`;
      yield* runs(cellObject(cell).text, styles);
      yield '</text:p></table:table-cell>';
    }
    yield '</table:table-row>';
  }

  function neighboursOf(row: number, column: number): Neighbours {
    return {
      top: borderOf(row - 1, column),
      right: borderOf(row, column + 1),
      bottom: borderOf(row + 1, column),
      left: borderOf(row, column - 1),
    };
  }

  return { rows: rows.length, row };
}

function padding(side: number): Attributes {
  return {
    'fo:padding-top': mm(PADDING.end),
    'fo:padding-bottom': mm(PADDING.end),
    'fo:padding-left': mm(side),
    'fo:padding-right': mm(side),
  };
}

function letters({ align: _, valign: __, background: ___, border: ____, ...look }: CellLook) {
  return look;
}
