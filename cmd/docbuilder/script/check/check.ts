import { AppError, fileTooLarge, type Mistake } from '../../../../src/common/errors.ts';
import type {
  ListItem,
  Meta,
  Script,
  Sheet,
  Table,
  TableElement,
  TypedCell,
} from '../../../../src/common/generated/script.ts';
import { validator } from '../../../../src/common/schema.ts';
import { type EffectivePlan, maxFileBytes } from '../../jobs/limits.ts';
import { DEFAULT_MARGIN, SMALLEST_TEXT, toSheet } from '../page.ts';
import { getCells, getImages, getParts, itemParts } from '../parts.ts';
import { excelLength, LONGEST_HEADER } from './excel-header.ts';
import { createWorkbook, formulaMistake, sheetKey, sheetNames, type Workbook } from './formula.ts';
import { decodedPicture, scriptError } from './pictures.ts';

const MAX_MISTAKES = 100;
const LIST_LEVELS = 3;
/** Characters of base64. */
const BYTES_PER_CHARACTER = 0.75;

const matches = validator<Script>('script.json');

/** The facts of a checked script that the service needs; the rest of it stays text until it is written. */
export interface ScriptFacts {
  type: Script['type'];
  save: Script['save'];
  /** The pictures that have to be fetched, with the JSON Pointers of their images. */
  links: { path: string; url: string }[];
  /** Characters of its own pictures, in base64. */
  characters: number;
}

/**
 * Checks a script with its own pictures, and tells what the service needs of it.
 * @throws {AppError} see `checkScript`, `decodedPicture`, `assertRoom`
 */
export function scriptFacts(value: unknown, plan: EffectivePlan): ScriptFacts {
  const script = checkScript(value, plan);
  const facts: ScriptFacts = { type: script.type, save: script.save, links: [], characters: 0 };
  for (const { path, image } of getImages(script)) {
    if (image.base64 === undefined) {
      facts.links.push({ path, url: image.url ?? '' });
    } else {
      facts.characters += decodedPicture(image.base64, path).base64.length;
      assertRoom(facts.characters, maxFileBytes(plan));
    }
  }
  return facts;
}

/** @param characters of all pictures of a script in base64 @throws {AppError} `file_too_large` */
export function assertRoom(characters: number, maxBytes: number): void {
  if (characters * BYTES_PER_CHARACTER > maxBytes) throw fileTooLarge(maxBytes, { subject: 'pictures' });
}

/**
 * A script that the plan allows and that can be built, pictures apart (contract: svcscript).
 * @throws {AppError} `script_invalid`, `forbidden_feature`, `script_too_large`, `script_error`
 */
export function checkScript(value: unknown, { edition, limits }: EffectivePlan): Script {
  const checked = matches(value);
  if (!checked.ok) throw new AppError('script_invalid', { errors: checked.mistakes });
  const script = checked.value;
  if (script.save.length > limits.max_outputs_per_build) {
    const limit = limits.max_outputs_per_build;
    throw new AppError('forbidden_feature', { feature: 'multiple_outputs', edition, limit });
  }
  const units = scriptUnits(script);
  if (units > limits.max_script_units) {
    throw new AppError('script_too_large', { units, limit: limits.max_script_units });
  }
  const mistakes = runTimeMistakes(script).take(MAX_MISTAKES).toArray();
  if (mistakes[0]) throw scriptError(mistakes[0], mistakes);
  return script;
}

/** One unit for each block, list item, table row (a header row is one), sheet row, slide and slide element. */
function scriptUnits(script: Script): number {
  const { sheets = [], slides = [] } = script;
  let units = slides.length;
  for (const { rows } of sheets) units += rows.length;
  for (const { part } of getParts(script)) {
    if (part.type !== 'area') units += 1;
    if ('items' in part) units += countItems(part.items);
    if (part.type === 'table') units += part.rows.length + (part.header ? 1 : 0);
  }
  return units;
}

function countItems(items: readonly ListItem[]): number {
  return items.reduce((sum, item) => sum + 1 + countItems(itemParts(item).items ?? []), 0);
}

/** Finds the mistakes that the schema of a script cannot say (contract: svcscript, run-time checks), in the order of the script. */
function* runTimeMistakes(script: Script): Generator<Mistake> {
  const { textWidth, textHeight } = toSheet(script.page);
  if (Math.min(textWidth, textHeight) < SMALLEST_TEXT) {
    yield {
      path: '/page',
      message: `có lề chừa lại ít hơn ${SMALLEST_TEXT} mm cho nội dung; lề mặc định là ${DEFAULT_MARGIN} mm`,
    };
  }
  for (const { path, part } of getParts(script)) {
    if ('items' in part) yield* nesting(part.items, part.type === 'area' ? path : `${path}/items`);
    if (part.type === 'table') yield* cellCounts(part, path);
  }
  const { sheets = [] } = script;
  yield* repeatedNames(sheets);
  const workbook = createWorkbook(sheetNames(sheets));
  const isExcel = script.save.some(({ format }) => format === 'xlsx');
  for (const [index, sheet] of sheets.entries()) {
    if (isExcel) yield* longHeaders(sheet, `/sheets/${index}/print`, script.meta);
    yield* cells(sheet, `/sheets/${index}`, workbook);
  }
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

function* repeatedNames(sheets: readonly Sheet[]): Generator<Mistake> {
  const names = new Set<string>();
  for (const [index, { name }] of sheets.entries()) {
    if (name === undefined) continue;
    const key = sheetKey(name);
    if (names.has(key)) yield { path: `/sheets/${index}/name`, message: 'trùng tên với một trang tính khác' };
    names.add(key);
  }
}

function* longHeaders({ print }: Sheet, path: string, meta: Meta | undefined): Generator<Mistake> {
  for (const name of ['header', 'footer'] as const) {
    const length = excelLength(print?.[name] ?? {}, meta);
    if (length <= LONGEST_HEADER) continue;
    const message = `dài ${length} ký tự, kể cả mã định dạng: xlsx chỉ nhận tối đa ${LONGEST_HEADER}`;
    yield { path: `${path}/${name}`, message };
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

function cellMistake(cell: TypedCell, workbook: Workbook): Mistake | undefined {
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
