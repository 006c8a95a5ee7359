import type { Border, Table, TableCell, TableCellObject } from '../../../../src/common/generated/script.ts';
import { lookProperties } from '../inline.ts';
import { padding, type Styles, textAlign } from '../styles.ts';
import { cellBorders, cellObject, columnObject, columnWidths, type Sides } from '../table.ts';
import { mm } from '../xml.ts';
import { type BlockBuilder, paragraphStyle, runs } from './paragraph.ts';

/** A table over the width of the text; its header row is repeated on every page that it reaches. */
export const table: BlockBuilder<Table> = function* (block, place, { styles, sheet }) {
  const width = sheet.textWidth;
  const widths = columnWidths(block.columns, columnCount(block), width);
  const style = styles.of('table', {
    'style:width': mm(width),
    'table:align': 'left',
    'table:border-model': 'collapsing',
    'fo:break-before': place.breakBefore ? 'page' : undefined,
  });
  yield `<table:table table:name="Table${place.pointer.replaceAll('/', '_')}" table:style-name="${style}">`;
  for (const columnWidth of widths) {
    const column = styles.of('table-column', { 'style:column-width': mm(columnWidth) });
    yield `<table:table-column table:style-name="${column}"/>`;
  }
  const cells = new TableCells(block, widths, styles);
  if (block.header) {
    yield '<table:table-header-rows>';
    yield* cells.row(0);
    yield '</table:table-header-rows>';
  }
  for (let row = block.header ? 1 : 0; row < cells.rows; row++) yield* cells.row(row);
  yield '</table:table>';
};

/** Rows are as long as the header or the columns say; without both, the longest row counts. */
function columnCount({ header, columns, rows }: Table): number {
  return rows.reduce((most, row) => Math.max(most, row.length), header?.length ?? columns?.length ?? 0);
}

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

/** Writes the rows of a table, its header row first. A row that has fewer cells is filled up with empty ones. */
class TableCells {
  readonly #block: Table;
  readonly #widths: readonly number[];
  readonly #styles: Styles;
  readonly #rows: readonly (readonly TableCell[])[];
  readonly #common = new Map<string, CellStyle>();

  /** @param widths of the columns in millimetres */
  constructor(block: Table, widths: readonly number[], styles: Styles) {
    this.#block = block;
    this.#widths = widths;
    this.#styles = styles;
    this.#rows = block.header ? [block.header, ...block.rows] : block.rows;
  }

  get rows(): number {
    return this.#rows.length;
  }

  *row(index: number): Generator<string> {
    const cells = this.#rows[index] ?? [];
    const bordered = [index - 1, index, index + 1].some((row) => this.#hasBorders(row));
    yield '<table:table-row>';
    for (let column = 0; column < this.#widths.length; column++) {
      const cell = cells[column] ?? '';
      const names = bordered
        ? this.#style(index, column, this.#neighbours(index, column))
        : this.#commonStyle(index, column, cell);
      yield `<table:table-cell table:style-name="${names.cell}" office:value-type="string">`;
      yield `<text:p text:style-name="${names.paragraph}">`;
      yield* runs(cellObject(cell).text, this.#styles);
      yield '</text:p></table:table-cell>';
    }
    yield '</table:table-row>';
  }

  #isHeader(row: number): boolean {
    return row === 0 && this.#block.header !== undefined;
  }

  #lookOf(row: number, cell: TableCell | undefined): CellLook | undefined {
    const own = typeof cell === 'object' ? cell : undefined;
    return this.#isHeader(row) ? { ...HEADER, ...this.#block.header_style, ...own } : own;
  }

  #borderOf(row: number, column: number): Border | undefined {
    const cell = this.#rows[row]?.[column];
    return cell === undefined ? undefined : this.#lookOf(row, cell)?.border;
  }

  #hasBorders(row: number): boolean {
    if (this.#isHeader(row) && this.#block.header_style?.border) return true;
    return this.#rows[row]?.some((cell) => typeof cell === 'object' && cell.border !== undefined) ?? false;
  }

  #neighbours(row: number, column: number): Sides<Border | undefined> {
    return {
      top: this.#borderOf(row - 1, column),
      right: this.#borderOf(row, column + 1),
      bottom: this.#borderOf(row + 1, column),
      left: this.#borderOf(row, column - 1),
    };
  }

  #style(row: number, column: number, neighbours?: Sides<Border | undefined>): CellStyle {
    const { borders: drawn, border: line, columns } = this.#block;
    const look = this.#lookOf(row, this.#rows[row]?.[column]) ?? {};
    const ends = {
      top: row === 0,
      right: column === this.#widths.length - 1,
      bottom: row === this.#rows.length - 1,
      left: column === 0,
    };
    const attributes = {
      'fo:background-color': look.background,
      'style:vertical-align': look.valign,
      ...cellBorders({ drawn, line, own: look.border, ends, neighbours }),
      ...padding(PADDING.end, Math.min(PADDING.side, (this.#widths[column] ?? 0) * SIDE_SHARE)),
    };
    const align = textAlign(look.align ?? columnObject(columns?.[column]).align);
    const parent = this.#isHeader(row) ? 'Table_20_Heading' : 'Table_20_Contents';
    return {
      cell: this.#styles.of('table-cell', attributes),
      paragraph: paragraphStyle(this.#styles, parent, { 'fo:text-align': align }, lookProperties(look)),
    };
  }

  /** Returns the style of a cell with no border of its own beside it: of few kinds, and asked for in every row. */
  #commonStyle(row: number, column: number, cell: TableCell): CellStyle {
    const kind = row === 0 ? 'first' : row === this.#rows.length - 1 ? 'last' : 'inner';
    const key = `${kind} ${column} ${typeof cell === 'object' ? JSON.stringify({ ...cell, text: '' }) : ''}`;
    const style = this.#common.get(key) ?? this.#style(row, column);
    this.#common.set(key, style);
    return style;
  }
}
