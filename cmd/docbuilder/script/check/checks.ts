import type { Mistake } from '../../../../src/common/errors.ts';
import type {
  Block,
  Cell,
  Element,
  ListItem,
  Row,
  Script,
  Sheet,
  Slide,
  SlideContent,
  Table,
  TableElement,
} from '../../../../src/common/generated/script.ts';
import { createWorkbook, formulaMistake, sheetNames as namesOf, type Workbook } from './formula.ts';
import { itemParts } from './list-item.ts';

const LIST_LEVELS = 3;

/** Finds the mistakes that the schema of a script cannot say (contract: svcscript, run-time checks), in the order of the script. */
export function* runTimeMistakes({ body = [], sheets = [], slides = [] }: Script): Generator<Mistake> {
  for (const [index, block] of body.entries()) yield* content(block, `/body/${index}`);
  yield* sheetNames(sheets);
  const workbook = createWorkbook(namesOf(sheets));
  for (const [index, sheet] of sheets.entries()) yield* cells(sheet, `/sheets/${index}`, workbook);
  for (const [index, slide] of slides.entries()) yield* slideMistakes(slide, `/slides/${index}`);
}

function* slideMistakes(slide: Slide, path: string): Generator<Mistake> {
  for (const name of ['content', 'left', 'right'] as const) {
    const area = (slide as Partial<Record<typeof name, SlideContent>>)[name];
    if (Array.isArray(area)) yield* nesting(area, `${path}/${name}`);
  }
  for (const [index, element] of (slide.elements ?? []).entries()) yield* content(element, `${path}/elements/${index}`);
}

function* content(part: Block | Element, path: string): Generator<Mistake> {
  if (part.type === 'list' || part.type === 'bullets') yield* nesting(part.items, `${path}/items`);
  if (part.type === 'table') yield* cellCounts(part, path);
}

function* nesting(items: readonly ListItem[], path: string, level = 1): Generator<Mistake> {
  if (level > LIST_LEVELS) {
    yield { path, message: `là danh sách cấp ${level}: danh sách lồng nhau tối đa ${LIST_LEVELS} cấp` };
    return;
  }
  for (const [index, item] of items.entries()) {
    const { items: below } = itemParts(item);
    if (below) yield* nesting(below, `${path}/${index}/items`, level + 1);
  }
}

function* cellCounts({ columns, header, rows }: Table | TableElement, path: string): Generator<Mistake> {
  const due = header?.length ?? columns?.length ?? rows[0]?.length ?? 0;
  const by = header ? 'header' : columns ? 'columns' : 'hàng đầu';
  if (header && columns && columns.length !== header.length) {
    yield { path: `${path}/columns`, message: `có ${columns.length} cột, còn header có ${header.length} ô` };
  }
  for (const [index, row] of rows.entries()) {
    if (row.length !== due) {
      yield { path: `${path}/rows/${index}`, message: `có ${row.length} ô, còn ${by} có ${due}` };
    }
  }
}

function* sheetNames(sheets: readonly Sheet[]): Generator<Mistake> {
  const names = new Set<string>();
  for (const [index, { name }] of sheets.entries()) {
    if (name === undefined) continue;
    const folded = name.normalize('NFC').toLowerCase();
    if (names.has(folded)) yield { path: `/sheets/${index}/name`, message: 'trùng tên với một trang tính khác' };
    names.add(folded);
  }
}

function* cells({ rows }: Sheet, path: string, workbook: Workbook): Generator<Mistake> {
  for (const [rowIndex, row] of rows.entries()) {
    const list = getCells(row);
    for (let index = 0; index < list.length; index++) {
      const cell = list[index];
      const mistake = typeof cell === 'object' && cell !== null ? cellMistake(cell, workbook) : undefined;
      if (!mistake) continue;
      const at = `${path}/rows/${rowIndex}${Array.isArray(row) ? '' : '/cells'}`;
      yield { path: `${at}/${index}/${mistake.path}`, message: mistake.message };
    }
  }
}

function getCells(row: Row): readonly Cell[] {
  return Array.isArray(row) ? row : row.cells;
}

function cellMistake(cell: Exclude<Cell, string | number | boolean | null>, workbook: Workbook): Mistake | undefined {
  if (cell.type === 'date' && !isDay(cell.value.slice(0, 10))) {
    return { path: 'value', message: 'không phải là ngày có trong lịch' };
  }
  if (cell.type !== 'formula') return undefined;
  const message = formulaMistake(cell.formula, workbook);
  return message === undefined ? undefined : { path: 'formula', message };
}

/** Returns true if the calendar has such a day; the form (YYYY-MM-DD) was checked before. */
function isDay(date: string): boolean {
  const day = Number(date.slice(8));
  // Every month has these; asking the calendar takes time where a sheet has many days.
  return day <= 28 || new Date(`${date}T00:00:00Z`).getUTCDate() === day;
}
