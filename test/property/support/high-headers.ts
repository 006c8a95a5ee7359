import type { Script, Table } from '../../../src/common/generated/script.ts';
import { declaredRows } from '../compare/table.ts';
import type { Builder } from './builder.ts';
import type { TableFacts, TextFacts } from './facts.ts';

/**
 * Tables of a text script that have lost their header row and of which that row is higher than a page: LibreOffice
 * cannot repeat it then. Found out by building the row once more as the only one of a table without a header.
 * @returns their JSON Pointers
 */
export async function highHeaders(script: Script, facts: TextFacts, builder: Builder): Promise<Set<string>> {
  const found = facts.blocks.filter((block): block is TableFacts => block.table !== undefined);
  const high = new Set<string>();
  for (const [index, block] of (script.body ?? []).entries()) {
    if (block.type !== 'table') continue;
    const lost = found.shift()?.table.headerRows === 0 && block.header !== undefined;
    if (lost && (await pagesOf(alone(block), script, builder)) > 1) high.add(`/body/${index}`);
  }
  return high;
}

/** A table whose only row looks like the header of another. */
function alone({ header, header_style, ...table }: Table): Table {
  const [cells = []] = declaredRows({ ...table, header: header ?? [], header_style: header_style ?? {} }, '');
  return { ...table, rows: [cells.map(({ cell }) => ({ bold: true, ...cell }))] };
}

async function pagesOf(table: Table, script: Script, builder: Builder): Promise<number> {
  let pages = 0;
  await builder.build({ ...script, save: [{ format: 'pdf' }], body: [table] }, async ([file]) => {
    pages = file?.pages ?? 0;
  });
  return pages;
}
