import type { TableCell, TableCellObject, TableElement } from '../../../../src/common/generated/script.ts';
import { padding, properties } from '../styles.ts';
import { cellBorders, cellObject, columnObject, columnWidths } from '../table.ts';
import { element, mm } from '../xml.ts';
import { fill, PADDING, paragraph, withDefaults } from './boxes.ts';
import { firstFitting, measureHeight, worded } from './fit.ts';
import { boxAttributes, type Deck } from './layouts.ts';
import { readableOn } from './theme.ts';

const DEFAULT_SIZE = 16;

/** A table as `draw:frame`. Its rows share its height unless a text needs more. */
export function tableElement(part: TableElement, behind: string, deck: Deck): string {
  const { styles, theme } = deck;
  const rows = toRows(part, deck);
  const widths = columnWidths(part.columns, rows[0]?.length ?? 1, part.width);
  const size = part.size ?? fittingTableSize(rows, widths, part.height, theme.font);
  const columns = widths.map((width) => {
    const style = styles.of('table-column', { 'style:column-width': mm(width) });
    return element('table:table-column', { 'table:style-name': style });
  });
  const rowStyle = styles.of('table-row', { 'style:row-height': mm(part.height / rows.length) });
  const written = rows.map((row) => {
    const cells = row.map((cell) => cellElement({ size, ...cell }, part, behind, deck));
    return element('table:table-row', { 'table:style-name': rowStyle }, cells.join(''));
  });
  const table = element('table:table', {}, columns.join('') + written.join(''));
  return element('draw:frame', { 'draw:layer': 'layout', ...boxAttributes(part) }, table);
}

function cellElement(cell: TableCellObject, { border: line }: TableElement, behind: string, deck: Deck): string {
  const { background, border: own, valign = 'middle', align = 'left' } = cell;
  const box = {
    ...fill(background),
    'draw:textarea-vertical-align': valign,
    ...padding(PADDING.vertical, PADDING.horizontal),
  };
  const content = element('loext:graphic-properties', box) + properties('paragraph', cellBorders({ line, own }));
  const style = deck.styles.style('table-cell', content);
  const look = { ...withDefaults(cell, background ?? behind, deck), align };
  return element('table:table-cell', { 'table:style-name': style }, paragraph(cell.text, look, deck.styles));
}

/** The rows, header first. A cell overrides the look of its row, and a row that of its column. */
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

type Rows = readonly TableCellObject[][];

function fittingTableSize(rows: Rows, widths: readonly number[], height: number, font: string): number {
  return firstFitting(rows.flat(), DEFAULT_SIZE, () => {
    const measured = rows.map((row) => worded(row));
    return (size) => {
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
  });
}
