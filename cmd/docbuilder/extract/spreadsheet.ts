import { anchoredElements, enterShape, shapeElements } from './anchored.ts';
import { createFlow, type Flow, oneLine, textOf } from './flow.ts';
import { distinct, headerElements, type PageText } from './headers.ts';
import { objectElements } from './objects.ts';
import { paragraphElements, readText } from './paragraphs.ts';
import { type Part, part } from './part.ts';
import { createReader, divert, type Reader, type ReaderOptions, type Reading } from './reader.ts';
import { cellName, createRows, type Rows } from './rows.ts';
import { repeated } from './tables.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/** The sheet that is being read. */
interface Sheet {
  name: string;
  style: string | undefined;
  rows: Rows;
  /** Text of shapes and text boxes, which follows the cells. */
  shapes: Flow;
  /** What a cell looks like that names no style: its row's, or its column's, which ends before `end`. */
  rowStyle: string | undefined;
  columns: { end: number; style: string | undefined }[];
  /** Cells of another document that are kept with a link to it. */
  linked: boolean;
}

/**
 * Reads a spreadsheet: a part for each sheet, hidden ones too, then headers and footers of the printed pages. Rows are
 * lines and keep their number: empty ones stay unless nothing follows them.
 */
export function readSpreadsheet(options: ReaderOptions): Reading {
  const { styles } = options;
  const reader = createReader(options, 'table-cell');
  const pages: PageText[] = [];
  const sheets: Part[] = [];
  const masterPages = new Set<string>();
  const done = (sheet: Sheet) => {
    const { comments } = reader;
    reader.comments = [];
    if (sheet.linked) return;
    const text = [sheet.rows.text(), textOf(sheet.shapes)].filter((piece) => piece !== '').join('\n');
    sheets.push(part('sheet', text, { name: sheet.name, hidden: !styles.isVisible('table', sheet.style), comments }));
    masterPages.add(styles.masterPage('table', sheet.style) ?? '');
  };
  return {
    elements: {
      ...paragraphElements(reader),
      ...anchoredElements(reader),
      ...objectElements(reader),
      ...headerElements(reader, pages),
      ...sheetElements(reader, done),
    },
    text: (text) => readText(reader, text),
    parts: () => {
      const used = pages.filter(({ masterPage, text }) => masterPages.has(masterPage) && saysSomething(text));
      return [
        ...sheets,
        ...distinct(used, 'header').map((text) => part('header', text)),
        ...distinct(used, 'footer').map((text) => part('footer', text)),
      ];
    },
  };
}

const PAGE_FIELDS = ['sheet-name', 'page-number', 'page-count', 'file-name', 'date', 'time', 'title'].map(
  (name) => `text:${name}`,
);

/** What is left of LibreOffice's own footer "Page 1", which a csv file has too, says nothing. */
function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text) && text !== 'Page';
}

function sheetElements(reader: Reader, done: (sheet: Sheet) => void): Elements {
  const { styles, output } = reader;
  let sheet: Sheet | undefined;
  const shape: Open = (attributes) => {
    if (!sheet) return undefined;
    return divert(reader, sheet.shapes, { style: enterShape(reader, attributes), inCell: false });
  };
  // Of a field in a header nothing is known before the page is printed.
  const pageField: Open = () => (sheet ? undefined : SKIP);
  reader.cell = () => (sheet && reader.inCell ? cellName(sheet.rows.column, sheet.rows.row) : null);
  return {
    ...shapeElements(reader, shape),
    ...Object.fromEntries(PAGE_FIELDS.map((name) => [name, pageField])),
    'table:table': (attributes) => {
      // Tables in tables are no part of any spreadsheet.
      if (sheet) return SKIP;
      const opened = newSheet(attributes['table:name'] ?? '', attributes['table:style-name'], createRows(output));
      sheet = opened;
      return () => {
        sheet = undefined;
        done(opened);
      };
    },
    'table:table-source': () => {
      if (sheet) sheet.linked = true;
      return SKIP;
    },
    'table:table-column': (attributes) => {
      const end = (sheet?.columns.at(-1)?.end ?? 0) + repeated(attributes, 'columns');
      sheet?.columns.push({ end, style: attributes['table:default-cell-style-name'] });
      return undefined;
    },
    'table:table-row': (attributes) => {
      if (sheet) sheet.rowStyle = attributes['table:default-cell-style-name'];
      return () => sheet?.rows.endRow(repeated(attributes, 'rows'));
    },
    'table:table-cell': (attributes) => {
      const times = repeated(attributes, 'columns');
      const flow = createFlow();
      const style = sheet && (attributes['table:style-name'] ?? sheet.rowStyle ?? columnStyle(sheet));
      const restore = divert(reader, flow, {
        inCell: true,
        style: styles.apply(styles.base('table-cell'), 'table-cell', style),
      });
      return () => {
        restore();
        sheet?.rows.cell(oneLine(flow), times);
      };
    },
    'table:covered-table-cell': (attributes) => {
      sheet?.rows.cell('', repeated(attributes, 'columns'));
      return SKIP;
    },
  };
}

function newSheet(name: string, style: string | undefined, rows: Rows): Sheet {
  return { name, style, rows, shapes: createFlow(), rowStyle: undefined, columns: [], linked: false };
}

function columnStyle({ columns, rows }: Sheet): string | undefined {
  return columns.find(({ end }) => end > rows.column)?.style;
}
