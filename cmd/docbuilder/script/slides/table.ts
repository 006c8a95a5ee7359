import type { TableCell, TableCellObject, TableElement } from '../../../../src/common/generated/script.ts';
import { properties } from '../styles.ts';
import { cellBorders, cellObject, columnObject, columnWidths } from '../table.ts';
import { element, mm } from '../xml.ts';
import { getLetters, PADDING } from './box-look.ts';
import type { Deck } from './deck.ts';
import { firstFitting, measureHeight, sizesFrom, worded } from './fit.ts';
import { solid } from './frames.ts';
import { boxAttributes } from './layouts.ts';
import { paragraph, runs } from './paragraph.ts';
import { readableOn } from './theme.ts';

const DEFAULT_SIZE = 16;

/** A table as `draw:frame`. Its rows share its height, unless a text needs more. */
export function tableElement(part: TableElement, behind: string, deck: Deck): string {
  const { styles, theme } = deck;
  const rows = toRows(part, deck);
  const widths = columnWidths(part.columns, rows[0]?.length ?? 1, part.width);
  const size = part.size ?? fittingTableSize(rows, widths, part.height, theme.font);
  const columns = widths.map((width) => {
    const style = styles.style('table-column', properties('table-column', { 'style:column-width': mm(width) }));
    return element('table:table-column', { 'table:style-name': style });
  });
  const height = { 'style:row-height': mm(part.height / rows.length) };
  const rowStyle = styles.style('table-row', properties('table-row', height));
  let content = '';
  for (const [index, row] of rows.entries()) {
    const place = { firstRow: index === 0, lastRow: index === rows.length - 1, firstColumn: false, lastColumn: false };
    let cells = '';
    for (const cell of row) cells += cellElement(cell, part, place, size, behind, deck);
    content += element('table:table-row', { 'table:style-name': rowStyle }, cells);
  }
  return element(
    'draw:frame',
    { 'draw:layer': 'layout', ...boxAttributes(part) },
    element('table:table', {}, columns.join('') + content),
  );
}

function cellElement(
  cell: TableCellObject,
  { border }: TableElement,
  place: Parameters<typeof cellBorders>[2],
  size: number,
  behind: string,
  deck: Deck,
): string {
  const { styles } = deck;
  const box = {
    ...(cell.background ? solid(cell.background) : { 'draw:fill': 'none' }),
    'draw:textarea-vertical-align': cell.valign ?? 'middle',
    'fo:padding-top': mm(PADDING.vertical),
    'fo:padding-right': mm(PADDING.horizontal),
    'fo:padding-bottom': mm(PADDING.vertical),
    'fo:padding-left': mm(PADDING.horizontal),
  };
  const lines = properties('paragraph', cellBorders('all', border, place, cell.border));
  const style = styles.style('table-cell', element('loext:graphic-properties', box) + lines);
  const letters = getLetters(cell, cell.background ?? behind, deck);
  const look = { ...letters, size: cell.size ?? size, align: cell.align ?? 'left' };
  const text = paragraph(runs(cell.text, styles, look), look, styles);
  return element('table:table-cell', { 'table:style-name': style }, text);
}

/** The rows, header first; a cell's own word goes before its row's, and that before its column's. */
function toRows(
  { header, header_style: headerStyle, rows, columns }: TableElement,
  { theme }: Deck,
): TableCellObject[][] {
  const background = headerStyle?.background ?? theme.accent;
  const headerLook = { bold: true, background, color: readableOn(background), ...headerStyle };
  const cells = (row: readonly TableCell[], look: Partial<TableCellObject>) =>
    row.map((cell, index) => {
      const { align } = columnObject(columns?.[index]);
      return { ...(align && { align }), ...look, ...cellObject(cell) };
    });
  const body = rows.map((row) => cells(row, {}));
  return header ? [cells(header, headerLook), ...body] : body;
}

function fittingTableSize(
  rows: readonly TableCellObject[][],
  widths: readonly number[],
  height: number,
  font: string,
): number {
  const sizes = sizesFrom(DEFAULT_SIZE);
  const measured = rows.map((row) => worded(row));
  const fits = (size: number) => {
    let sum = 0;
    for (const row of measured) {
      const heights = row.map((cell, column) => {
        const width = (widths[column] ?? 1) - 2 * PADDING.horizontal;
        return measureHeight([cell], width, cell.size ?? size, cell.font ?? font, height);
      });
      sum += Math.max(...heights) + 2 * PADDING.vertical;
      if (sum > height) return false;
    }
    return true;
  };
  return firstFitting(rows.flat(), sizes, fits) ?? DEFAULT_SIZE;
}
