import type { Table } from '../../../../src/common/generated/script.ts';
import { properties } from '../styles.ts';
import { columnWidths } from '../table.ts';
import { mm } from '../xml.ts';
import type { BlockBuilder } from './context.ts';
import { TableCells } from './table-cells.ts';

/** A table over the width of the text; its header row is repeated on every page that it reaches. */
export const table: BlockBuilder<Table> = function* (block, place, { styles, sheet }) {
  const width = sheet.textWidth;
  const widths = columnWidths(block.columns, columnCount(block), width);
  const style = styles.style(
    'table',
    properties('table', {
      'style:width': mm(width),
      'table:align': 'left',
      'table:border-model': 'collapsing',
      'fo:break-before': place.breakBefore ? 'page' : undefined,
    }),
  );
  yield `<table:table table:name="${nameOf(place.pointer)}" table:style-name="${style}">`;
  for (const columnWidth of widths) {
    const column = styles.style('table-column', properties('table-column', { 'style:column-width': mm(columnWidth) }));
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

/** A name that differs from table to table. */
function nameOf(pointer: string): string {
  return `Table${pointer.replaceAll('/', '_')}`;
}
