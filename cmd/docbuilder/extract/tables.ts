import { addLines, oneLine } from './flow.ts';
import type { Reader } from './reader.ts';
import { type Attributes, type Elements, type Open, SKIP } from './sax.ts';

/** No table in a text document or slide is wider. */
const MAX_REPEATED = 1024;

/**
 * Returns handlers of tables in text documents and slides (ODF 1.3 part 3, section 9.1). A row is a line with tabs between
 * its cells; covered cells are empty. A table in a cell is part of that cell's text.
 */
export function tableElements(reader: Reader): Elements {
  let cells: string[] = [];
  let cellStyle: string | undefined;
  const add = (text: string, attributes: Attributes) => {
    const count = Math.min(repetitions(attributes, 'columns'), MAX_REPEATED);
    for (let made = 0; made < count; made++) cells.push(text);
    reader.budget.take('\t', count);
  };
  const outsideCells = (open: Open): Open => {
    return (attributes) => (reader.inCell ? undefined : open(attributes));
  };
  return {
    'table:table': () => {
      reader.frame = 'content';
      if (reader.onPage) reader.tables += 1;
    },
    'table:table-row': outsideCells((attributes) => {
      const [outer, outerStyle] = [cells, cellStyle];
      cells = [];
      cellStyle = attributes['table:default-cell-style-name'];
      return () => {
        addLines(reader.flow, [cells.join('\t')]);
        [cells, cellStyle] = [outer, outerStyle];
      };
    }),
    'table:table-cell': outsideCells((attributes) => {
      // LibreOffice's text for a gap in a chart.
      if (attributes['office:value'] === 'NaN') {
        add('', attributes);
        return SKIP;
      }
      const restore = reader.divert({ inCell: true }, (flow) => add(oneLine(flow), attributes));
      reader.applyStyle('table-cell', attributes['table:style-name'] ?? cellStyle);
      return restore;
    }),
    'table:covered-table-cell': (attributes) => {
      if (!reader.inCell) add('', attributes);
      return SKIP;
    },
  };
}

/** Returns how often a row or cell is repeated; 1 for a value that is no such number. */
export function repetitions(attributes: Attributes, what: 'rows' | 'columns'): number {
  const count = Number(attributes[`table:number-${what}-repeated`] ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
