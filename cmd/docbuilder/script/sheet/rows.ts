import type { Cell, Column, Row, Sheet } from '../../../../src/common/generated/script.ts';
import type { Workbook } from '../check/formula.ts';
import { properties, type Styles } from '../styles.ts';
import { type Attributes, element, mm } from '../xml.ts';
import { cellValue, formatFor, getCells, hasLines } from './cells.ts';
import { type CellLook, cellStyle, lookKey, mergeLooks } from './look.ts';
import { columnWidths } from './widths.ts';

/** The parts that all sheets of a document share. */
export interface SheetContext {
  styles: Styles;
  workbook: Workbook;
  /** Language of separators, see `dataStyle`. */
  separators: Attributes;
}

/** A piece of XML is handed on when it has about this many characters. */
const PIECE = 65_536;

/** Returns the number of columns that a sheet uses. */
export function countColumns({ rows, columns = [], print }: Sheet): number {
  return rows.reduce(
    (width, row) => Math.max(width, getCells(row).length),
    Math.max(1, columns.length, print?.repeat_columns ?? 0),
  );
}

/** The columns: widths, what is hidden, and the style of cells that have none of their own. */
export function columnsXml(sheet: Sheet, count: number, { styles, separators }: SheetContext): string {
  const { columns = [], print } = sheet;
  const repeated = print?.repeat_columns ?? 0;
  const written = columnWidths(sheet, count).map((width, index) =>
    columnXml(columns[index] ?? {}, width, separators, styles),
  );
  const head = written.slice(0, repeated).join('');
  return (
    (head && `<table:table-header-columns>${head}</table:table-header-columns>`) + written.slice(repeated).join('')
  );
}

function columnXml(column: Column, width: number | undefined, separators: Attributes, styles: Styles): string {
  const content = width && properties('table-column', { 'style:column-width': mm(width) });
  return element('table:table-column', {
    'table:style-name': content && styles.style('table-column', content),
    'table:visibility': column.hidden ? 'collapse' : undefined,
    'table:default-cell-style-name': cellStyle(column, separators, styles) ?? 'Default',
  });
}

/** The rows, in pieces. */
export function* rowsXml(sheet: Sheet, width: number, context: SheetContext): Generator<string> {
  const { rows, print } = sheet;
  const repeated = print?.repeat_rows ?? 0;
  const looks = createLooks(sheet.columns ?? [], context);
  let piece = repeated > 0 ? '<table:table-header-rows>' : '';
  for (let index = 0; index < Math.max(rows.length, repeated, 1); index++) {
    for (const part of rowXml(rows[index] ?? [], width, looks, context)) {
      piece += part;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
    if (index === repeated - 1) piece += '</table:table-header-rows>';
  }
  yield piece + restXml(sheet, width, Math.max(rows.length, repeated, 1));
}

const ROWS = 1_048_576;

/** The rows below the last, where columns have a look: it is for all their cells. */
function restXml({ columns = [] }: Sheet, width: number, written: number): string {
  if (written >= ROWS || columns.every((column) => lookKey(column) === '')) return '';
  const cells = emptyCells(width, '');
  return `<table:table-row table:number-rows-repeated="${ROWS - written}">${cells}</table:table-row>`;
}

/** One row, in pieces: a cell may have ten pages of text, and a row a thousand of them. */
function* rowXml(row: Row, width: number, looks: Looks, { styles, workbook }: SheetContext): Generator<string> {
  const cells = getCells(row);
  const own = Array.isArray(row) ? undefined : row;
  const rowKey = own ? lookKey(own) : '';
  const rowLook = rowKey === '' ? undefined : own;
  let xml = `<table:table-row${own?.height === undefined ? '' : ` table:style-name="${heightStyle(own.height, styles)}"`}>`;
  let empty = 0;
  let emptyStyle = '';
  const end = rowLook ? width : cells.length;
  for (let column = 0; column < end; column++) {
    const cell = cells[column] ?? null;
    const style = looks.attribute(column, cell, rowLook, rowKey);
    if (cell === null && style === emptyStyle) {
      empty++;
      continue;
    }
    xml += emptyCells(empty, emptyStyle);
    empty = 0;
    emptyStyle = style;
    if (cell === null) {
      empty = 1;
      continue;
    }
    const [attributes, content] = cellValue(cell, workbook);
    xml += `<table:table-cell${style}${attributes}${content === '' ? '/>' : `>${content}</table:table-cell>`}`;
    if (xml.length < PIECE) continue;
    yield xml;
    xml = '';
  }
  xml += emptyCells(empty, emptyStyle);
  yield `${xml}${cells.length === 0 && !rowLook ? '<table:table-cell/>' : ''}</table:table-row>`;
}

function emptyCells(count: number, style: string): string {
  if (count === 0) return '';
  return count === 1
    ? `<table:table-cell${style}/>`
    : `<table:table-cell${style} table:number-columns-repeated="${count}"/>`;
}

function heightStyle(height: number, styles: Styles): string {
  const attributes = { 'style:row-height': mm(height), 'style:use-optimal-row-height': 'false' };
  return styles.style('table-row', properties('table-row', attributes));
}

interface Looks {
  /** `table:style-name` of a cell, with a space before it; empty where the column's style says it all. */
  attribute(column: number, cell: Cell, row: CellLook | undefined, rowKey: string): string;
}

/** The looks of one sheet's cells; each combination of column, row and cell is worked out once. */
function createLooks(columns: readonly Column[], { styles, separators }: SheetContext): Looks {
  const columnKeys = columns.map(lookKey);
  const known = new Map<string, string>();

  function attribute(column: number, cell: Cell, row: CellLook | undefined, rowKey: string): string {
    const own = getLook(cell);
    const ownKey = own ? lookKey(own) : '';
    const inherited = row?.format ?? columns[column]?.format;
    const format = own?.format ?? formatFor(cell, inherited);
    if (ownKey === '' && rowKey === '' && format === inherited) return '';
    const key = `${columnKeys[column] ?? ''}|${rowKey}|${ownKey}|${format ?? ''}`;
    const name = known.get(key);
    if (name !== undefined) return name;
    const look = mergeLooks(columns[column] ?? {}, row ?? {}, own ?? {}, format ? { format } : {});
    const made = cellStyle(look, separators, styles) ?? 'Default';
    const attributes = ` table:style-name="${made}"`;
    known.set(key, attributes);
    return attributes;
  }

  return { attribute };
}

/**
 * Returns the look that a cell has by itself. Lines wrap, and it must say so: else LibreOffice makes the other cells with the
 * same style wrap in xlsx, too.
 */
function getLook(cell: Cell): CellLook | undefined {
  const own = typeof cell === 'object' && cell !== null ? cell : undefined;
  return hasLines(cell) ? { ...own, wrap: true } : own;
}
