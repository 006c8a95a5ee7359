import type { Cell, Column, Row, Sheet } from '../../../../src/common/generated/script.ts';
import { fileForm, type Workbook } from '../check/formula.ts';
import { LAST_ROW } from '../check/formula-tokens.ts';
import { getCells } from '../parts.ts';
import type { Styles } from '../styles.ts';
import { type Attributes, element, escapeXml, mm, paragraphText } from '../xml.ts';
import { cellStyle, columnWidths, createLookUp, type LookUp, lookKey } from './look.ts';

/** The parts that all sheets of a document share. */
export interface SheetContext {
  styles: Styles;
  workbook: Workbook;
  /** See `dataStyle`. */
  separators: Attributes;
  /** Days are numbered as in Excel. */
  isExcel: boolean;
}

/** Characters of a piece of XML, about. */
const PIECE = 65_536;

/** The number of columns that a sheet uses. */
export function countColumns({ rows, columns = [], print }: Sheet): number {
  return rows.reduce(
    (width, row) => Math.max(width, getCells(row).length),
    Math.max(1, columns.length, print?.repeat_columns ?? 0),
  );
}

/** `table:table-column`s with the styles of cells that have none of their own. */
export function columnsXml(sheet: Sheet, count: number, { styles, separators }: SheetContext): string {
  const { columns = [], print } = sheet;
  const repeated = print?.repeat_columns ?? 0;
  const written = columnWidths(sheet, count).map((width, index) => {
    const column = columns[index] ?? {};
    return element('table:table-column', {
      'table:style-name': width && styles.of('table-column', { 'style:column-width': mm(width) }),
      'table:visibility': column.hidden ? 'collapse' : undefined,
      'table:default-cell-style-name': cellStyle(column, separators, styles) ?? 'Default',
    });
  });
  const head = repeated && element('table:table-header-columns', {}, written.slice(0, repeated).join(''));
  return `${head || ''}${written.slice(repeated).join('')}`;
}

/** The rows, in pieces. */
export function* rowsXml(sheet: Sheet, width: number, context: SheetContext): Generator<string> {
  const { rows, print, columns = [] } = sheet;
  const repeated = print?.repeat_rows ?? 0;
  const count = Math.max(rows.length, repeated, 1);
  const lookUp = createLookUp(columns, context.separators, context.styles);
  if (repeated > 0) yield '<table:table-header-rows>';
  for (let index = 0; index < count; index++) {
    yield* rowXml(rows[index] ?? [], width, lookUp, context);
    if (index === repeated - 1) yield '</table:table-header-rows>';
  }
  yield restXml(columns, width, count);
}

/** The rows below the last: a column's look is for all its cells. */
function restXml(columns: readonly Column[], width: number, written: number): string {
  if (written >= LAST_ROW || columns.every((column) => lookKey(column) === '')) return '';
  const cells = emptyCells(width, '');
  return `<table:table-row table:number-rows-repeated="${LAST_ROW - written}">${cells}</table:table-row>`;
}

/** One row, in pieces: a cell may have ten pages of text, and a row a thousand of them. */
function* rowXml(row: Row, width: number, lookUp: LookUp, context: SheetContext): Generator<string> {
  const cells = getCells(row);
  const own = Array.isArray(row) ? undefined : row;
  const rowKey = own ? lookKey(own) : '';
  const rowLook = rowKey === '' ? undefined : own;
  let xml = rowStart(own?.height, context.styles);
  let empty = 0;
  let emptyStyle = '';
  const end = rowLook ? width : cells.length;
  for (let column = 0; column < end; column++) {
    const cell = cells[column] ?? null;
    const style = lookUp(column, cell, rowLook, rowKey);
    if (cell !== null || style !== emptyStyle) {
      xml += emptyCells(empty, emptyStyle);
      empty = 0;
    }
    if (cell === null) {
      empty++;
      emptyStyle = style;
      continue;
    }
    xml += cellXml(cell, `<table:table-cell${style}`, context);
    if (xml.length < PIECE) continue;
    yield xml;
    xml = '';
  }
  xml += emptyCells(empty, emptyStyle);
  yield `${xml}${cells.length === 0 && !rowLook ? '<table:table-cell/>' : ''}</table:table-row>`;
}

function rowStart(height: number | undefined, styles: Styles): string {
  if (height === undefined) return '<table:table-row>';
  const look = { 'style:row-height': mm(height), 'style:use-optimal-row-height': 'false' };
  return `<table:table-row table:style-name="${styles.of('table-row', look)}">`;
}

function emptyCells(count: number, style: string): string {
  if (count === 0) return '';
  const repeated = count === 1 ? '' : ` table:number-columns-repeated="${count}"`;
  return `<table:table-cell${style}${repeated}/>`;
}

/** A cell. The engine computes the results of formulas. @param start of its tag */
function cellXml(cell: Exclude<Cell, null>, start: string, context: SheetContext): string {
  if (typeof cell === 'string') return `${start} office:value-type="string">${lines(cell)}</table:table-cell>`;
  if (typeof cell === 'number') return `${start} office:value-type="float" office:value="${cell}"/>`;
  if (typeof cell === 'boolean') return `${start} office:value-type="boolean" office:boolean-value="${cell}"/>`;
  switch (cell.type) {
    case 'date': {
      const seconds = cell.value.length === 16 ? ':00' : '';
      const value = context.isExcel ? excelDay(cell.value) : cell.value;
      return `${start} office:value-type="date" office:date-value="${value}${seconds}"/>`;
    }
    case 'time': {
      const [hours, minutes, seconds = '00'] = cell.value.split(':');
      return `${start} office:value-type="time" office:time-value="PT${hours}H${minutes}M${seconds}S"/>`;
    }
    case 'formula':
      return `${start} table:formula="msoxl:${escapeXml(fileForm(cell.formula, context.workbook))}"/>`;
    default:
      return cellXml(cell.value, start, context);
  }
}

/** Excel counts a 29 February 1900, so days before it have the number of the day before. */
function excelDay(value: string): string {
  if (value < '1899-12-31' || value >= '1900-03') return value;
  const before = Date.parse(`${value.slice(0, 10)}T00:00:00Z`) - 86_400_000;
  return new Date(before).toISOString().slice(0, 10) + value.slice(10);
}

const LINE_END = /\r\n?|\n/;

/** Lines of a cell are paragraphs. LibreOffice 7.4 drops the tab element from cells, but keeps the character. */
function lines(text: string): string {
  let content = '';
  for (const line of LINE_END.test(text) ? text.split(LINE_END) : [text]) {
    content += `<text:p>${paragraphText(line).replaceAll('<text:tab/>', '&#9;')}</text:p>`;
  }
  return content;
}
