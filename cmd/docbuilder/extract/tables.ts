import { addLines, createFlow, oneLine } from './flow.ts';
import type { Attributes } from './namespaces.ts';
import { under } from './paragraphs.ts';
import { divert, type Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/** No text document and no slide has a wider table. */
const MAX_REPEATED = 1024;

/**
 * Tables of text documents and slides (ODF 1.3 part 3, section 9.1): a row is a line, its cells are separated by tabs,
 * covered ones are empty. A table in a cell is part of that cell's text.
 */
export function tableElements(reader: Reader): Elements {
  let cells: string[] = [];
  let cellStyle: string | undefined;
  const add = (text: string, attributes: Attributes) => {
    const count = Math.min(repeated(attributes, 'columns'), MAX_REPEATED);
    for (let made = 0; made < count; made++) cells.push(text);
    reader.output.take('\t', count);
  };
  const outsideCells = (open: Open): Open => {
    return (attributes) => (reader.inCell ? undefined : open(attributes));
  };
  return {
    'table:table': () => {
      reader.frame = 'content';
      if (reader.onPage) reader.onTable?.();
      return undefined;
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
      const flow = createFlow();
      const restore = divert(reader, flow, { inCell: true });
      under(reader, 'table-cell', attributes['table:style-name'] ?? cellStyle);
      return () => {
        restore();
        add(oneLine(flow), attributes);
      };
    }),
    'table:covered-table-cell': (attributes) => {
      if (!reader.inCell) add('', attributes);
      return SKIP;
    },
  };
}

/** How often a row or cell stands there; 1 if it says nothing useful. */
export function repeated(attributes: Attributes, what: 'rows' | 'columns'): number {
  const count = Number(attributes[`table:number-${what}-repeated`] ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
