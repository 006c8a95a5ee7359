import { addLines, createFlow, type Flow, linesText, oneLine, type Part, part } from './flow.ts';
import { enterShape, frameElements } from './frames.ts';
import { headerElements, type PageText, pageParts } from './notes.ts';
import type { Budget, Reader, Reading } from './reader.ts';
import { type Elements, type Open, SKIP } from './sax.ts';
import { toLetters } from './styles.ts';
import { repetitions, tableElements } from './tables.ts';

/** The sheet that is being read. */
interface Sheet {
  name: string;
  style: string | undefined;
  rows: Rows;
  /** The text of shapes, which follows the cells. */
  shapes: Flow;
  /** The style of cells without one: that of the row, or of the columns before `end`. */
  rowStyle: string | undefined;
  columns: { end: number; style: string | undefined }[];
  /** The cells are a copy of those of another document. */
  linked: boolean;
}

/**
 * Reads a spreadsheet: a part for each sheet, also hidden ones, then headers and footers of the printed pages. Each row is
 * a line; empty rows at the end are left out.
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
    const style = styles.get('table', sheet.style);
    sheets.push(part('sheet', text, { name: sheet.name, hidden: style?.visible === false, comments }));
    masterPages.add(style?.masterPage ?? '');
  };
  return {
    elements: { ...headerElements(reader, pages), ...sheetElements(reader, done) },
    parts: () => {
      const used = pages.filter(({ masterPage, text }) => masterPages.has(masterPage) && isMeaningful(text));
      return [...sheets, ...pageParts(used, 'header'), ...pageParts(used, 'footer')];
    },
  };
}

/** LibreOffice's default footer is "Page 1", here without its number. */
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
    sheet && reader.divert({ style: enterShape(reader, attributes), inCell: false }, undefined, sheet.shapes);
  // A field in a header has no value before the page is printed.
  const pageField: Open = () => (sheet ? undefined : SKIP);
  reader.cell = () => (sheet && reader.inCell ? sheet.rows.cellName() : null);
  const tables: Elements = {
    'table:table': (attributes) => {
      if (sheet) return SKIP;
      const { 'table:name': name = '', 'table:style-name': style } = attributes;
      const opened = { name, style, rows: new Rows(budget), shapes: createFlow(), linked: false };
      sheet = { ...opened, rowStyle: undefined, columns: [] };
      return () => {
        if (sheet) done(sheet);
        sheet = undefined;
      };
    },
    'table:table-column': (attributes) => {
      const end = (sheet?.columns.at(-1)?.end ?? 0) + repetitions(attributes, 'columns');
      sheet?.columns.push({ end, style: attributes['table:default-cell-style-name'] });
    },
    'table:table-row': (attributes) => {
      if (sheet) sheet.rowStyle = attributes['table:default-cell-style-name'];
      return () => sheet?.rows.endRow(repetitions(attributes, 'rows'));
    },
    'table:table-cell': (attributes) => {
      const times = repetitions(attributes, 'columns');
      const name = sheet && (attributes['table:style-name'] ?? sheet.rowStyle ?? columnStyle(sheet));
      const style = styles.apply(styles.base('table-cell'), 'table-cell', name);
      return reader.divert({ inCell: true, style }, (flow) => sheet?.rows.addCell(oneLine(flow), times));
    },
    'table:covered-table-cell': (attributes) => {
      sheet?.rows.addCell('', repetitions(attributes, 'columns'));
      return SKIP;
    },
  };
  return {
    ...frameElements(reader, shape),
    ...Object.fromEntries(PAGE_FIELDS.map((name) => [name, pageField])),
    ...chartElements(reader, tables),
    'table:table-source': () => {
      if (sheet) sheet.linked = true;
      return SKIP;
    },
  };
}

/**
 * Returns handlers of charts and of tables. A chart with data of its own has them in a table. That of another chart is a
 * copy of cells, which lacks only the names of series that were typed.
 * @param tables handlers of the tables that are sheets
 */
function chartElements(reader: Reader, tables: Elements): Elements {
  const chartTables = tableElements(reader);
  let hasOwnData = false;
  let current = tables;
  const cells = Object.keys(tables).map((name): [string, Open] => [name, (attributes) => current[name]?.(attributes)]);
  return {
    ...Object.fromEntries(cells),
    'chart:chart': () => () => {
      hasOwnData = false;
    },
    'chart:series': ({ 'chart:values-cell-range-address': values, 'loext:label-string': label }) => {
      if (values?.startsWith('local-table.')) hasOwnData = true;
      const name = label?.replace(/^"|"$/g, '') ?? '';
      reader.budget.take(name);
      if (name !== '') addLines(reader.flow, [name]);
    },
    'table:table': (attributes) => {
      if (!hasOwnData) return tables['table:table']?.(attributes);
      current = chartTables;
      return () => {
        current = tables;
      };
    },
  };
}

function columnStyle({ columns, rows }: Sheet): string | undefined {
  return columns.find(({ end }) => end > rows.column)?.style;
}

/** The rows of a sheet, without empty rows and cells at the end. */
class Rows {
  /** The position of the next cell, counted from 0. */
  column = 0;
  row = 0;
  readonly #lines: string[] = [];
  readonly #budget: Budget;
  #emptyRows = 0;
  #emptyCells = 0;
  #line = '';

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Adds a cell `times`. */
  addCell(text: string, times: number): void {
    this.column += times;
    if (text === '') {
      this.#emptyCells += times;
      return;
    }
    // The text was counted once when it was read.
    this.#budget.take(text, -1);
    this.#line += this.#repeat('\t', this.#emptyCells) + this.#repeat(`${text}\t`, times);
    this.#emptyCells = 0;
  }

  /** Ends the row, and adds it `times`. */
  endRow(times: number): void {
    this.row += times;
    this.column = 0;
    this.#emptyCells = 0;
    if (this.#line === '') {
      this.#emptyRows += times;
      return;
    }
    if (this.#emptyRows > 0) this.#lines.push(this.#repeat('\n', this.#emptyRows).slice(1));
    this.#emptyRows = 0;
    const line = this.#line.slice(0, -1);
    this.#line = '';
    // The row was counted once when it was built.
    const more = this.#budget.take(`${line}\n`, times - 1);
    for (let count = 0; count <= more; count++) this.#lines.push(line);
  }

  /** Returns the rows as lines with tabs between cells. */
  text(): string {
    return this.#lines.join('\n');
  }

  /** Returns the name of the next cell, such as `AB12`. */
  cellName(): string {
    return `${toLetters(this.column + 1)}${this.row + 1}`;
  }

  #repeat(text: string, times: number): string {
    return text.repeat(this.#budget.take(text, times));
  }
}
