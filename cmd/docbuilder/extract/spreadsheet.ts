import { createFlow, type Flow, linesText, oneLine } from './flow.ts';
import { enterShape, frameElements } from './frames.ts';
import { headerElements, type PageText, pageParts } from './headers.ts';
import { type Part, part } from './parts.ts';
import type { Reader, Reading } from './reader.ts';
import { Rows } from './rows.ts';
import { type Elements, type Open, SKIP } from './sax.ts';
import { repetitions } from './tables.ts';

/** The sheet that is being read. */
interface Sheet {
  name: string;
  style: string | undefined;
  rows: Rows;
  /** The text of shapes, which follows the cells. */
  shapes: Flow;
  /** The style of a cell without one: its row's, or its column's, which ends before `end`. */
  rowStyle: string | undefined;
  columns: { end: number; style: string | undefined }[];
  /** Set for cells of another document that are kept with a link to it. */
  linked: boolean;
}

/**
 * Reads a spreadsheet: a part for each sheet, hidden ones too, then headers and footers of the printed pages. Rows are
 * lines and keep their number: empty ones stay unless nothing follows them.
 */
export function readSpreadsheet(reader: Reader): Reading {
  const { styles } = reader;
  const pages: PageText[] = [];
  const sheets: Part[] = [];
  const masterPages = new Set<string>();
  const done = (sheet: Sheet) => {
    const { comments } = reader;
    reader.comments = [];
    if (sheet.linked) return;
    const text = [sheet.rows.text(), linesText(sheet.shapes.lines)].filter((piece) => piece !== '').join('\n');
    sheets.push(part('sheet', text, { name: sheet.name, hidden: !styles.isVisible('table', sheet.style), comments }));
    masterPages.add(styles.masterPage('table', sheet.style) ?? '');
  };
  return {
    elements: { ...headerElements(reader, pages), ...sheetElements(reader, done) },
    parts: () => {
      const used = pages.filter(({ masterPage, text }) => masterPages.has(masterPage) && isMeaningful(text));
      return [...sheets, ...pageParts(used, 'header'), ...pageParts(used, 'footer')];
    },
  };
}

/** LibreOffice's own footer "Page 1", which even a csv file has, means nothing without its number. */
function isMeaningful(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text) && text !== 'Page';
}

const PAGE_FIELDS = ['sheet-name', 'page-number', 'page-count', 'file-name', 'date', 'time', 'title'].map(
  (name) => `text:${name}`,
);

function sheetElements(reader: Reader, done: (sheet: Sheet) => void): Elements {
  const { styles, budget } = reader;
  let sheet: Sheet | undefined;
  const shape: Open = (attributes) =>
    sheet && reader.divert(sheet.shapes, { style: enterShape(reader, attributes), inCell: false });
  // A field in a header has no value before the page is printed.
  const pageField: Open = () => (sheet ? undefined : SKIP);
  reader.cell = () => (sheet && reader.inCell ? sheet.rows.cellName() : null);
  return {
    ...frameElements(reader, shape),
    ...Object.fromEntries(PAGE_FIELDS.map((name) => [name, pageField])),
    'table:table': (attributes) => {
      // Tables in tables are not part of any spreadsheet.
      if (sheet) return SKIP;
      const { 'table:name': name = '', 'table:style-name': style } = attributes;
      const opened = { name, style, rows: new Rows(budget), shapes: createFlow(), linked: false };
      sheet = { ...opened, rowStyle: undefined, columns: [] };
      return () => {
        if (sheet) done(sheet);
        sheet = undefined;
      };
    },
    'table:table-source': () => {
      if (sheet) sheet.linked = true;
      return SKIP;
    },
    'table:table-column': (attributes) => {
      const end = (sheet?.columns.at(-1)?.end ?? 0) + repetitions(attributes, 'columns');
      sheet?.columns.push({ end, style: attributes['table:default-cell-style-name'] });
      return undefined;
    },
    'table:table-row': (attributes) => {
      if (sheet) sheet.rowStyle = attributes['table:default-cell-style-name'];
      return () => sheet?.rows.endRow(repetitions(attributes, 'rows'));
    },
    'table:table-cell': (attributes) => {
      const times = repetitions(attributes, 'columns');
      const flow = createFlow();
      const name = sheet && (attributes['table:style-name'] ?? sheet.rowStyle ?? columnStyle(sheet));
      const style = styles.apply(styles.base('table-cell'), 'table-cell', name);
      const restore = reader.divert(flow, { inCell: true, style });
      return () => {
        restore();
        sheet?.rows.addCell(oneLine(flow), times);
      };
    },
    'table:covered-table-cell': (attributes) => {
      sheet?.rows.addCell('', repetitions(attributes, 'columns'));
      return SKIP;
    },
  };
}

function columnStyle({ columns, rows }: Sheet): string | undefined {
  return columns.find(({ end }) => end > rows.column)?.style;
}
