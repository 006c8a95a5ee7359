import type { Table } from '../../../src/common/generated/script.ts';
import type { BlockFacts, ParagraphFacts, TableFacts } from '../support/facts.ts';
import type { Report } from '../support/report.ts';
import { compareRuns, type Look, lettersOf, piecesOf } from './pieces.ts';
import { compareLine, compareWidths, declaredRows } from './table.ts';

/**
 * A table of a text.
 * @param known.letters look of the text around it
 * @param known.high whether its header row is higher than a page
 */
export function compareTable(
  block: Table,
  pointer: string,
  { table }: TableFacts,
  { letters, high, report }: { letters: Look; high: boolean; report: Report },
): void {
  const rows = declaredRows(block, pointer);
  compareWidths(block.columns, table.widths, rows[0]?.length ?? 0, pointer, report);
  report.same(`${pointer}/header${high ? ', higher than a page' : ''}`, block.header ? 1 : 0, table.headerRows);
  report.same(`${pointer}/rows`, rows.length, table.rows.length);
  for (const [index, row] of rows.entries()) {
    for (const { pointer: place, column, cell } of row) {
      const found = table.rows[index]?.[column];
      const [paragraph] = paragraphsOf(found?.blocks ?? []);
      if (!found || !paragraph) {
        report.holds(place, false, 'there is no cell');
        continue;
      }
      compareRuns(piecesOf(cell.text, place, { ...letters, ...lettersOf(cell) }), paragraph.runs, place, report);
      if (cell.align) report.same(`${place}/align`, cell.align, paragraph.align);
      if (cell.valign) report.same(`${place}/valign`, cell.valign, found.valign);
      if (cell.background) report.same(`${place}/background`, cell.background, found.background);
      if (cell.border) {
        const line = { ...block.border, ...cell.border };
        for (const side of ['top', 'right', 'bottom', 'left'] as const) {
          const beside = neighbour(rows, index, column, side);
          if (!beside) compareLine(line, found.borders[side], `${place}/border ${side}`, report);
        }
      }
    }
  }
}

/** Whether the cell on that side has a border of its own, too: then either may be drawn. */
function neighbour(rows: ReturnType<typeof declaredRows>, row: number, column: number, side: string): boolean {
  const [down, right] = { top: [-1, 0], bottom: [1, 0], left: [0, -1], right: [0, 1] }[side] ?? [0, 0];
  return rows[row + (down ?? 0)]?.[column + (right ?? 0)]?.cell.border !== undefined;
}

/** Paragraphs, also those in cells. */
export function paragraphsOf(blocks: readonly BlockFacts[]): ParagraphFacts[] {
  return blocks.flatMap((block) =>
    block.table === undefined ? [block] : block.table.rows.flat().flatMap((cell) => paragraphsOf(cell.blocks)),
  );
}
