import type { Border, Table, TableCell, TableCellObject } from '../../../../src/common/generated/script.ts';
import { lookProperties, toRuns } from '../inline.ts';
import { padding, type Styles, textAlign } from '../styles.ts';
import { cellBorders, cellObject, columnObject, columnWidths, type Sides } from '../table.ts';
import { mm } from '../xml.ts';
import { type BlockBuilder, paragraphStyle, runs } from './paragraph.ts';

/** A table as wide as the text, with its header row on every page. */
export const table: BlockBuilder<Table> = function* (block, place, { styles, page }) {
  const { columns, header, rows } = block;
  const width = page.textWidth;
  const widths = columnWidths(columns, header?.length ?? columns?.length ?? rows[0]?.length ?? 0, width);
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
  yield* rowsXml(block, widths, styles);
  yield '</table:table>';
};

/** Millimetres between a cell's border and its text; at most this share of a narrow column on each side. */
const PADDING = { side: 1.9, end: 0.9 };
const SIDE_SHARE = 1 / 6;
const HEADER = { background: '#EDEDED', valign: 'middle' } as const;

type CellLook = Omit<TableCellObject, 'text'>;

/** Names of the styles of a cell and of the paragraph in it. */
interface CellStyle {
  cell: string;
  paragraph: string;
}

function* rowsXml(block: Table, widths: readonly number[], styles: Styles): Generator<string> {
  const rows = block.header ? [block.header, ...block.rows] : block.rows;
  const getStyle = createStyles(block, rows, widths, styles);
  const whole = styles.of('table-row', { 'fo:keep-together': 'always' });
  for (const [index, cells] of rows.entries()) {
    const isHeader = index === 0 && block.header !== undefined;
    const row = cells.every(isShort) ? `<table:table-row table:style-name="${whole}">` : '<table:table-row>';
    yield isHeader ? `<table:table-header-rows>${row}` : row;
    for (const [column, cell] of cells.entries()) {
      const names = getStyle(index, column);
      yield `<table:table-cell table:style-name="${names.cell}" office:value-type="string">`;
      yield `<text:p text:style-name="${names.paragraph}">`;
      yield* runs(cellObject(cell).text, styles);
      yield '</text:p></table:table-cell>';
    }
    yield isHeader ? '</table:table-row></table:table-header-rows>' : '</table:table-row>';
  }
}

/** Letters of a cell, in a few lines, that stay on one page with the rest of their row. */
const FEW_LETTERS = 300;

function isShort(cell: TableCell): boolean {
  return toRuns(cellObject(cell).text).reduce((sum, { text }) => sum + text.length, 0) <= FEW_LETTERS;
}

/** Returns a function for the styles of a cell. There are few kinds of cells, and many cells. */
function createStyles(
  { borders: drawn, border: line, columns, header, header_style: headerStyle }: Table,
  rows: readonly (readonly TableCell[])[],
  widths: readonly number[],
  styles: Styles,
): (row: number, column: number) => CellStyle {
  const known = new Map<string, CellStyle>();
  const isHeader = (row: number): boolean => row === 0 && header !== undefined;

  const getLook = (row: number, column: number): CellLook | undefined => {
    const cell = rows[row]?.[column];
    const own = typeof cell === 'object' ? cell : undefined;
    return isHeader(row) ? { ...HEADER, ...headerStyle, ...own } : own;
  };
  const getBorder = (row: number, column: number): Border | undefined =>
    rows[row]?.[column] === undefined ? undefined : getLook(row, column)?.border;

  const makeStyle = (row: number, column: number, neighbours: Sides<Border | undefined>): CellStyle => {
    const look = getLook(row, column) ?? {};
    const [bottom, right] = [row === rows.length - 1, column === widths.length - 1];
    const ends = { top: row === 0, right, bottom, left: column === 0 };
    const attributes = {
      'fo:background-color': look.background,
      'style:vertical-align': look.valign,
      ...cellBorders({ drawn, line, own: look.border, ends, neighbours }),
      ...padding(PADDING.end, Math.min(PADDING.side, (widths[column] ?? 0) * SIDE_SHARE)),
    };
    const align = textAlign(look.align ?? columnObject(columns?.[column]).align);
    const parent = isHeader(row) ? 'Table_20_Heading' : 'Table_20_Contents';
    return {
      cell: styles.of('table-cell', attributes),
      paragraph: paragraphStyle(styles, parent, { 'fo:text-align': align }, lookProperties(look)),
    };
  };

  return (row, column) => {
    const neighbours = {
      top: getBorder(row - 1, column),
      right: getBorder(row, column + 1),
      bottom: getBorder(row + 1, column),
      left: getBorder(row, column - 1),
    };
    const cell = rows[row]?.[column];
    const look = typeof cell === 'object' ? JSON.stringify({ ...cell, text: '' }) : '';
    const kind = row === 0 ? 'first' : row === rows.length - 1 ? 'last' : 'inner';
    const key = `${kind} ${column} ${look} ${JSON.stringify(neighbours)}`;
    const style = known.get(key) ?? makeStyle(row, column, neighbours);
    known.set(key, style);
    return style;
  };
}
