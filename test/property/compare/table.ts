import type {
  Border,
  TableCell,
  TableCellObject,
  TableColumn,
  TableHeaderStyle,
} from '../../../src/common/generated/script.ts';
import type { LineFacts } from '../support/facts.ts';
import type { Report } from '../support/report.ts';

export interface DeclaredCell {
  pointer: string;
  column: number;
  header: boolean;
  /** All that is declared of it: by itself, by the header row's look, and its alignment by its column. */
  cell: TableCellObject;
}

/** The cells of a table row by row, the header first. */
export function declaredRows(
  table: { columns?: TableColumn[]; header?: TableCell[]; rows: TableCell[][]; header_style?: TableHeaderStyle },
  pointer: string,
): DeclaredCell[][] {
  const cell = (value: TableCell, column: number, at: string, header: boolean): DeclaredCell => {
    const own = typeof value === 'object' ? value : { text: String(value) };
    const given = table.columns?.[column];
    const align = typeof given === 'object' && given.align ? { align: given.align } : {};
    return { pointer: at, column, header, cell: { ...align, ...(header ? table.header_style : {}), ...own } };
  };
  const header = table.header?.map((value, column) => cell(value, column, `${pointer}/header/${column}`, true));
  const rows = table.rows.map((row, index) =>
    row.map((value, column) => cell(value, column, `${pointer}/rows/${index}/${column}`, false)),
  );
  return header ? [header, ...rows] : rows;
}

export const widthOf = (column: TableColumn | undefined): number =>
  typeof column === 'object' ? (column.width ?? 1) : (column ?? 1);

/** Columns share the width in proportion, to a hundredth of it. */
export function compareWidths(
  columns: readonly TableColumn[] | undefined,
  widths: readonly number[],
  count: number,
  pointer: string,
  report: Report,
): void {
  report.same(`${pointer} columns`, count, widths.length);
  const relative = Array.from({ length: count }, (_, index) => widthOf(columns?.[index]));
  const [wanted, found] = [relative, widths].map((all) => all.reduce((left, right) => left + right, 0));
  for (const [index, width] of relative.entries()) {
    const share = (widths[index] ?? 0) / (found ?? 1);
    report.same(`${pointer}/columns/${index}`, width / (wanted ?? 1), share, 0.01);
  }
}

/** A line that was declared, or none where its width is 0. Formats round widths: Word to eighths of a point. */
export function compareLine(border: Border, found: LineFacts | null, pointer: string, report: Report): void {
  if (border.width === 0) {
    report.holds(`${pointer}/width`, found === null, `there should be no line, but ${JSON.stringify(found)}`);
    return;
  }
  if (found === null) {
    report.holds(pointer, false, 'there is no line');
    return;
  }
  if (border.width !== undefined) report.same(`${pointer}/width`, border.width, found.width, 0.3);
  if (border.color !== undefined) report.same(`${pointer}/color`, border.color, found.color);
}
