import type { Cell, NumberFormat, Row } from '../../../../src/common/generated/script.ts';
import { fileForm, type Workbook } from '../check/formula.ts';
import { escapeXml, paragraphText } from '../xml.ts';

/** The cells of a row, whichever way it was written. */
export function getCells(row: Row): readonly Cell[] {
  return Array.isArray(row) ? row : row.cells;
}

const DATES: readonly NumberFormat[] = ['date', 'date_iso', 'datetime'];
const TIMES: readonly NumberFormat[] = ['time', 'time_seconds', 'duration'];
const SHARES: readonly NumberFormat[] = ['percent', 'percent_decimal'];
const AMOUNTS = { VND: 'vnd', USD: 'usd', EUR: 'eur' } as const;

/**
 * The format of a cell that names none itself: that of its row or column where it suits the cell's type, else what
 * the type brings with it.
 * @param inherited of the row, else of the column
 */
export function formatFor(cell: Cell, inherited: NumberFormat | undefined): NumberFormat | undefined {
  if (typeof cell === 'boolean') return inherited && 'general';
  if (typeof cell !== 'object' || cell === null) return inherited;
  switch (cell.type) {
    case 'date':
      return suiting(DATES, inherited) ?? (cell.value.includes('T') ? 'datetime' : 'date');
    case 'time':
      return suiting(TIMES, inherited) ?? timeFormat(cell.value.split(':'));
    case 'percentage':
      return suiting(SHARES, inherited) ?? (isWhole(cell.value * 100) ? 'percent' : 'percent_decimal');
    case 'currency':
      return AMOUNTS[cell.currency ?? 'VND'];
    case 'boolean':
      return inherited && 'general';
    default:
      return inherited;
  }
}

function suiting(formats: readonly NumberFormat[], format: NumberFormat | undefined): NumberFormat | undefined {
  return format !== undefined && formats.includes(format) ? format : undefined;
}

function timeFormat([hours, , seconds]: string[]): NumberFormat {
  if (Number(hours) >= 24) return 'duration';
  return seconds === undefined ? 'time' : 'time_seconds';
}

function isWhole(percent: number): boolean {
  return Math.abs(percent - Math.round(percent)) < 1e-9;
}

/**
 * A cell's value as attributes, which begin with a space, and content of `table:table-cell`.
 * The style alone says what a number means; the result of a formula is left to the engine.
 */
export function cellValue(cell: Cell, workbook: Workbook): [attributes: string, content: string] {
  switch (typeof cell) {
    case 'string':
      return text(cell);
    case 'number':
      return [` office:value-type="float" office:value="${cell}"`, ''];
    case 'boolean':
      return [` office:value-type="boolean" office:boolean-value="${cell}"`, ''];
    default:
      return cell === null ? ['', ''] : typedValue(cell, workbook);
  }
}

function typedValue(cell: Extract<Cell, object>, workbook: Workbook): [attributes: string, content: string] {
  switch (cell.type) {
    case 'date':
      return [
        ` office:value-type="date" office:date-value="${cell.value}${cell.value.length === 16 ? ':00' : ''}"`,
        '',
      ];
    case 'time': {
      const [hours, minutes, seconds = '00'] = cell.value.split(':');
      return [` office:value-type="time" office:time-value="PT${hours}H${minutes}M${seconds}S"`, ''];
    }
    case 'formula':
      return [` table:formula="msoxl:${escapeXml(fileForm(cell.formula, workbook))}"`, ''];
    default:
      return cellValue(cell.value, workbook);
  }
}

const LINE_END = /\r\n?|\n/;

/** Returns true if a cell is text of several lines. */
export function hasLines(cell: Cell): boolean {
  if (typeof cell === 'object' && cell?.type === 'string') return LINE_END.test(cell.value);
  return typeof cell === 'string' && LINE_END.test(cell);
}

/** Lines of a cell are paragraphs. LibreOffice 7.4 drops the tab element from cells, but keeps the character. */
function text(value: string): [attributes: string, content: string] {
  let content = '';
  for (const line of LINE_END.test(value) ? value.split(LINE_END) : [value]) {
    content += `<text:p>${paragraphText(line).replaceAll('<text:tab/>', '&#9;')}</text:p>`;
  }
  return [' office:value-type="string"', content];
}
