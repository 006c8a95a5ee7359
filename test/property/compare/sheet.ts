import type {
  Cell,
  Column,
  NumberFormat,
  PrintSetup,
  Row,
  Script,
  Sheet,
} from '../../../src/common/generated/script.ts';
import { FORMULAS } from '../arbitraries/sheet.ts';
import type { SheetCellFacts, SheetFacts, WorkbookFacts } from '../support/facts.ts';
import type { Report } from '../support/report.ts';
import { fieldText, marginalPieces, SIDES } from './marginal.ts';
import { compareMeta } from './meta.ts';
import { paperOf } from './paper.ts';
import { clean } from './pieces.ts';
import { compareLine } from './table.ts';

const MM = 0.7;
const CODES: Record<NumberFormat, string> = {
  general: 'general',
  text: '@',
  integer: '#,##0',
  decimal: '#,##0.00',
  percent: '0%',
  percent_decimal: '0.00%',
  vnd: '#,##0 ₫',
  usd: '$#,##0.00',
  eur: '#,##0.00 €',
  date: 'dd/mm/yyyy',
  date_iso: 'yyyy-mm-dd',
  datetime: 'dd/mm/yyyy hh:mm',
  time: 'hh:mm',
  time_seconds: 'hh:mm:ss',
  duration: '[h]:mm:ss',
  scientific: '0.00e+00',
};
const AMOUNTS = { VND: 'vnd', USD: 'usd', EUR: 'eur' } as const;
export type CellLook = Omit<Column, 'width' | 'hidden'>;

/** Everything that a script of sheets declares, in an xlsx or ods. */
export function compareSheets(script: Script, facts: WorkbookFacts, now: Date, report: Report): void {
  compareMeta(script.meta, facts.meta, report);
  const { sheets = [] } = script;
  report.same('/sheets', sheets.length, facts.sheets.length);
  const shown = firstShown(sheets);
  for (const [index, sheet] of sheets.entries()) {
    const found = facts.sheets[index];
    if (!found) continue;
    const pointer = `/sheets/${index}`;
    if (sheet.name !== undefined) report.same(`${pointer}/name`, sheet.name, found.name);
    report.same(`${pointer}/hidden`, sheet.hidden === true && index !== shown, found.hidden);
    if (sheet.tab_color) report.same(`${pointer}/tab_color`, sheet.tab_color, found.tabColor);
    compareColumns(sheet, found, pointer, report);
    compareRows(sheet, found, pointer, report);
    compareView(sheet, found, pointer, report);
    if (sheet.print) comparePrint(sheet.print, found, `${pointer}/print`, { script, now, report });
  }
}

export function firstShown(sheets: readonly Sheet[]): number {
  return Math.max(
    0,
    sheets.findIndex(({ hidden }) => !hidden),
  );
}

export const cellsOf = (row: Row): readonly Cell[] => (Array.isArray(row) ? row : row.cells);

function compareColumns({ columns = [] }: Sheet, found: SheetFacts, pointer: string, report: Report): void {
  for (const [index, { width, hidden = false }] of columns.entries()) {
    const at = `${pointer}/columns/${index}`;
    // A last column of which nothing is said need not be in a file.
    report.same(`${at}/hidden`, hidden, found.columns[index]?.hidden ?? false);
    // Widths of Excel are counted in digits of a font, which LibreOffice takes for a little wider than Excel does.
    const tolerance = report.format === 'xlsx' ? (width !== undefined ? 0.7 + width * 0.06 : 0) : MM;
    if (width !== undefined) report.same(`${at}/width`, width, found.columns[index]?.width, tolerance);
  }
}

function compareRows(sheet: Sheet, found: SheetFacts, pointer: string, report: Report): void {
  for (const [index, row] of sheet.rows.entries()) {
    const own = Array.isArray(row) ? undefined : row;
    const at = `${pointer}/rows/${index}`;
    if (own?.height !== undefined) report.same(`${at}/height`, own.height, found.heights[index + 1], MM);
    for (const [column, cell] of cellsOf(row).entries()) {
      const place = own ? `${at}/cells/${column}` : `${at}/${column}`;
      const { cells: _, height: __, ...rowLook } = own ?? { cells: [] };
      const { width: ___, hidden: ____, ...columnLook } = sheet.columns?.[column] ?? {};
      const read = found.cells[`${letter(column)}${index + 1}`];
      const inherited = { ...columnLook, ...rowLook };
      // Where there is nothing, the style of a row or column may say it all.
      if (cell === null) continue;
      if (!read) report.holds(place, false, 'there is no cell');
      else compareCell(cell, inherited, read, place, report);
    }
  }
}

function compareCell(cell: Cell, inherited: CellLook, found: SheetCellFacts, pointer: string, report: Report): void {
  const own: CellLook = typeof cell === 'object' && cell !== null ? (cell as CellLook) : {};
  const look = { ...inherited, ...own };
  compareValue(cell, found, pointer, report);
  const format = formatOf(cell, inherited);
  if (format) report.same(`${pointer}/format`, CODES[format], plainCode(found.format));
  // Text of several lines wraps, whatever was said of it.
  if (look.wrap !== undefined && !String(found.value).includes('\n'))
    report.same(`${pointer}/wrap`, look.wrap, found.wrap);
  for (const name of ['bold', 'italic', 'underline', 'strike', 'color', 'font', 'background'] as const) {
    if (look[name] !== undefined) report.same(`${pointer}/${name}`, look[name], found[name]);
  }
  if (look.size !== undefined) report.same(`${pointer}/size`, look.size, found.size, 0.26);
  if (look.align) report.same(`${pointer}/align`, look.align, found.align);
  // Below is where cells stand anyhow, so a file need not say so.
  if (look.valign) report.same(`${pointer}/valign`, look.valign, found.valign ?? 'bottom');
  if (!look.border) return;
  for (const side of ['top', 'right', 'bottom', 'left'] as const) {
    // Excel knows three widths of lines only.
    const border = report.format === 'xlsx' && look.border.width ? withoutWidth(look.border) : look.border;
    compareLine(border, found.borders[side], `${pointer}/border ${side}`, report);
  }
}

function withoutWidth({ width: _, ...border }: NonNullable<CellLook['border']>): NonNullable<CellLook['border']> {
  return border;
}

function compareValue(cell: Cell, found: SheetCellFacts, pointer: string, report: Report): void {
  if (cell === null) {
    report.same(pointer, null, found.value);
    return;
  }
  if (typeof cell !== 'object') {
    compareLiteral(cell, found, pointer, report);
    return;
  }
  switch (cell.type) {
    case 'formula':
      report.holds(`${pointer}/formula`, found.formula !== null, 'there is no formula');
      compareResult(FORMULAS[cell.formula] ?? '', found, `${pointer}/formula`, report);
      return;
    case 'date':
      report.same(`${pointer}/value`, serial(cell.value), Number(found.value), 1e-6);
      return;
    case 'time': {
      const [hours = 0, minutes = 0, seconds = 0] = cell.value.split(':').map(Number);
      report.same(`${pointer}/value`, (hours + minutes / 60 + seconds / 3600) / 24, Number(found.value), 1e-6);
      return;
    }
    default:
      compareLiteral(cell.value, found, `${pointer}/value`, report);
  }
}

function compareLiteral(
  value: string | number | boolean,
  found: SheetCellFacts,
  pointer: string,
  report: Report,
): void {
  report.same(`${pointer} kind`, typeof value, found.kind);
  // No calendar has such a day.
  if (found.value === null && Math.abs(Number(value)) > 3e6 && /yy|h/i.test(found.format)) return;
  if (typeof value === 'number') report.same(pointer, value, found.value, Math.abs(value) * 1e-13);
  else report.same(pointer, typeof value === 'string' ? clean(value) : value, found.value);
}

/** In OpenDocument a truth value is a number, which its format shows as one or the other. */
function compareResult(value: string | number | boolean, found: SheetCellFacts, pointer: string, report: Report): void {
  const number = typeof value === 'boolean' && found.kind === 'number';
  compareLiteral(number ? Number(value) : value, found, pointer, report);
}

/** Days since the last of 1899, as Excel counts. */
function serial(date: string): number {
  const [day = '', time = '00:00'] = date.split('T');
  return (Date.parse(`${day}T${time}Z`) - Date.UTC(1899, 11, 30)) / 86_400_000;
}

/** The format that is declared: by the cell, by what its type means, or by its row or column where that suits. */
function formatOf(cell: Cell, { format }: CellLook): NumberFormat | undefined {
  if (cell === null || typeof cell === 'boolean') return undefined;
  if (typeof cell !== 'object') return format;
  if (cell.type === 'boolean') return undefined;
  if (cell.format !== undefined) return cell.format;
  if (cell.type === 'currency') return AMOUNTS[cell.currency ?? 'VND'];
  return cell.type === 'string' || cell.type === 'number' || cell.type === 'formula' ? format : undefined;
}

/** A code as people write it: `[$-42A]#,##0\ [$₫-42A]` is `#,##0 ₫`. */
function plainCode(code: string): string {
  return code
    .replace(/\[\$-[^\]]*\]/g, '')
    .replace(/\[\$([^\]-]*)-?[^\]]*\]/g, '$1')
    .replace(/[\\"]/g, '')
    .replace(/;.*/, '')
    .toLowerCase()
    .replace('[hh]', '[h]')
    .replaceAll('\u00a0', ' ');
}

function compareView(
  { freeze, autofilter, rows, columns = [], print }: Sheet,
  found: SheetFacts,
  pointer: string,
  report: Report,
) {
  if (freeze) {
    report.same(`${pointer}/freeze/rows`, freeze.rows ?? 0, found.freeze.rows);
    report.same(`${pointer}/freeze/columns`, freeze.columns ?? 0, found.freeze.columns);
  }
  if (typeof autofilter === 'string') report.same(`${pointer}/autofilter`, autofilter, found.autofilter);
  if (autofilter === true && rows.length > 0) {
    const width = Math.max(1, columns.length, print?.repeat_columns ?? 0, ...rows.map((row) => cellsOf(row).length));
    const one = found.autofilter?.includes(':') === false;
    // A range of one cell may be written as that cell.
    const range = one ? `${found.autofilter}:${found.autofilter}` : found.autofilter;
    report.same(`${pointer}/autofilter`, `A1:${letter(width - 1)}${rows.length}`, range);
  }
}

function comparePrint(
  print: PrintSetup,
  { print: found }: SheetFacts,
  pointer: string,
  { script, now, report }: { script: Script; now: Date; report: Report },
): void {
  const { width, height } = paperOf({ orientation: 'portrait', ...print });
  if (print.size !== undefined || print.orientation !== undefined) {
    report.same(`${pointer}/size width`, width, found.width, 0.6);
    report.same(`${pointer}/size height`, height, found.height, 0.6);
    if (width !== height) report.same(`${pointer}/orientation`, width > height, found.landscape);
  }
  for (const side of ['top', 'right', 'bottom', 'left'] as const) {
    const margin = print.margins?.[side];
    if (margin === undefined) continue;
    // A header or footer that needs more than its margin has makes it grow.
    const grown = (side === 'top' && print.header) || (side === 'bottom' && print.footer);
    const read = found.margins[side];
    report.same(`${pointer}/margins/${side}`, margin, grown ? Math.min(margin, read) : read, 0.3);
  }
  if (print.fit_width) report.same(`${pointer}/fit_width`, print.fit_width, found.fitWidth);
  if (print.fit_height) report.same(`${pointer}/fit_height`, print.fit_height, found.fitHeight);
  if (print.repeat_rows) report.same(`${pointer}/repeat_rows`, print.repeat_rows, found.repeatRows);
  if (print.repeat_columns) report.same(`${pointer}/repeat_columns`, print.repeat_columns, found.repeatColumns);
  report.same(`${pointer}/gridlines`, print.gridlines ?? false, found.gridlines);
  report.same(`${pointer}/center`, print.center ?? false, found.center);
  if (print.area) report.same(`${pointer}/area`, print.area.replaceAll('$', '').toUpperCase(), found.area);
  for (const name of ['header', 'footer'] as const) {
    const marginal = print[name];
    if (!marginal) continue;
    for (const side of SIDES) {
      const wanted = marginalPieces(marginal, '')
        .filter(({ pointer: at }) => at.startsWith(`/${side}`))
        .map(({ part }) => clean(part.text ?? fieldText(part.field, script, now) ?? `{${part.field}}`))
        .join('');
      // After a font size, LibreOffice puts a space before digits in an xlsx, or they would be part of it.
      const spaced = (text: string) => (report.format === 'xlsx' ? text.replace(/ +(?=\d)/g, '') : text);
      report.same(`${pointer}/${name}/${side}`, spaced(wanted), spaced(found[name][side]));
    }
  }
}

export function letter(column: number): string {
  return String.fromCharCode(65 + column);
}
