import { AppError, fileTooLarge, type Mistake } from '../../../../src/common/errors.ts';
import type {
  ListItem,
  Marginal,
  Meta,
  Script,
  Sheet,
  Table,
  TableElement,
  TypedCell,
} from '../../../../src/common/generated/script.ts';
import { validator } from '../../../../src/common/schema.ts';
import { type EffectivePlan, maxFileBytes } from '../../jobs/limits.ts';
import type { PageGeometry } from '../page.ts';
import {
  DEFAULT_MARGIN,
  fieldValues,
  marginalParts,
  pageGeometry,
  printGeometry,
  SIDES,
  SMALLEST_TEXT,
} from '../page.ts';
import { getCells, getImages, getParts, itemParts } from '../parts.ts';
import { createWorkbook, formulaMistake, sheetKey, sheetNames, type Workbook } from './formula.ts';
import { decodedPicture, scriptError } from './pictures.ts';

const MAX_MISTAKES = 100;
const LIST_LEVELS = 3;
/** Excel's limit for a header or footer with its codes ([MS-OI29500], oddHeader). */
const LONGEST_HEADER = 255;
/** In base64. */
const BYTES_PER_CHARACTER = 0.75;

const matches = validator<Script>('script.json');

/** The facts of a checked script; the rest stays text until it is written. */
export interface ScriptFacts {
  type: Script['type'];
  save: Script['save'];
  /** Pictures to fetch, with the JSON Pointers of their images. */
  links: { path: string; url: string }[];
  /** Base64 characters of the script's own pictures. */
  characters: number;
}

/** Checks a script and its own pictures. @throws {AppError} see `checkScript`, `decodedPicture`, `assertRoom` */
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

/** @param characters of all pictures of a script, in base64 @throws {AppError} `file_too_large` */
export function assertRoom(characters: number, maxBytes: number): void {
  if (characters * BYTES_PER_CHARACTER > maxBytes) throw fileTooLarge(maxBytes, { subject: 'pictures' });
}

/**
 * Checks everything in a script but its pictures (contract: svcscript).
 * @throws {AppError} `script_invalid`, `forbidden_feature`, `script_too_large`, `script_error`
 */
export function checkScript(value: unknown, { edition, limits }: EffectivePlan): Script {
  const checked = matches(value);
  if (!checked.ok) throw new AppError('script_invalid', { errors: checked.mistakes });
  const script = checked.value;
  const { max_outputs_per_build: limit, max_script_units: maxUnits } = limits;
  if (script.save.length > limit) {
    throw new AppError('forbidden_feature', { feature: 'multiple_outputs', edition, limit });
  }
  const units = scriptUnits(script);
  if (units > maxUnits) throw new AppError('script_too_large', { units, limit: maxUnits });
  const mistakes = runTimeMistakes(script).take(MAX_MISTAKES).toArray();
  if (mistakes[0]) throw scriptError(mistakes[0], mistakes);
  return script;
}

/** Blocks, list items, table rows and headers, sheet rows, slides and slide elements. */
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

/** Contract: svcscript, run-time checks. */
function* runTimeMistakes(script: Script): Generator<Mistake> {
  yield* narrowPage(pageGeometry(script.page), '/page', `${DEFAULT_MARGIN}`);
  for (const { path, part } of getParts(script)) {
    if ('items' in part) yield* nesting(part.items, part.type === 'area' ? path : `${path}/items`);
    if (part.type === 'table') yield* cellCounts(part, path);
  }
  const { sheets = [] } = script;
  yield* repeatedNames(sheets);
  const workbook = createWorkbook(sheetNames(sheets));
  const isExcel = script.save.some(({ format }) => format === 'xlsx');
  for (const [index, sheet] of sheets.entries()) {
    yield* narrowPage(printGeometry(sheet.print), `/sheets/${index}/print`, '18–19');
    if (isExcel) yield* longHeaders(sheet, `/sheets/${index}/print`, script.meta);
    yield* cells(sheet, `/sheets/${index}`, workbook);
  }
}

function* narrowPage({ textWidth, textHeight }: PageGeometry, path: string, margins: string): Generator<Mistake> {
  if (Math.min(textWidth, textHeight) >= SMALLEST_TEXT) return;
  yield { path, message: `có lề chừa lại ít hơn ${SMALLEST_TEXT} mm cho nội dung; lề mặc định là ${margins} mm` };
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
  for (const [index, { length }] of rows.entries()) {
    if (length !== due) yield { path: `${path}/rows/${index}`, message: `có ${length} ô, còn ${by} có ${due}` };
  }
}

function* repeatedNames(sheets: readonly Sheet[]): Generator<Mistake> {
  const keys = sheets.map(({ name }) => name && sheetKey(name));
  for (const [index, key] of keys.entries()) {
    if (!key || keys.indexOf(key) === index) continue;
    yield { path: `/sheets/${index}/name`, message: 'trùng tên với một trang tính khác' };
  }
}

function* longHeaders({ print }: Sheet, path: string, meta: Meta | undefined): Generator<Mistake> {
  for (const name of ['header', 'footer'] as const) {
    const length = excelLength(print?.[name] ?? {}, meta);
    const message = `dài ${length} ký tự, kể cả mã định dạng: xlsx chỉ nhận tối đa ${LONGEST_HEADER}`;
    if (length > LONGEST_HEADER) yield { path: `${path}/${name}`, message };
  }
}

/** The codes for bold, size and so on at the start: a code in small letters turns a look off. */
const OFF = ['', '', '&u', '', '&s', '&x'];

/** Length of a sheet's header or footer as LibreOffice writes it to xlsx: `&L&"Arial,Bold"&10text`. */
function excelLength(marginal: Marginal, meta: Meta | undefined): number {
  const values = fieldValues(meta, new Date());
  const escaped = (text: string) => text.replace(/\r\n?/g, '\n').replaceAll('&', '&&');
  const fields = { page: () => '&P', pages: () => '&N', title: () => escaped(values.title), date: values.date };
  let all = '';
  for (const side of SIDES) {
    const parts = marginalParts(marginal[side]);
    const isColored = parts.some(({ color }) => color !== undefined);
    let last = OFF;
    for (const { field, text = '', font = 'Arial', size = 10, color = '#000000', ...look } of parts) {
      const content = field ? fields[field]() : escaped(text);
      if (content === '') continue;
      const style = [look.bold ? 'Bold' : '', look.italic ? 'Italic' : ''].join(' ').trim() || 'Regular';
      const codes = [
        `&"${font},${style}"`,
        `&${Math.round(size)}`,
        look.underline ? '&U' : '&u',
        isColored ? `&K${color.slice(1)}` : '',
        look.strike ? '&S' : '&s',
        look.script ? { super: '&X', sub: '&Y' }[look.script] : '&x',
      ];
      if (last === OFF) all += '&L';
      for (const [index, code] of codes.entries()) if (code !== last[index]) all += code;
      // A blank parts digits from a size before them.
      all += /^\d/.test(content) ? ` ${content}` : content;
      last = codes;
    }
  }
  return all.length;
}

function* cells({ rows }: Sheet, path: string, workbook: Workbook): Generator<Mistake> {
  for (const [rowIndex, row] of rows.entries()) {
    const list = getCells(row);
    for (let index = 0; index < list.length; index++) {
      const cell = list[index];
      const mistake = typeof cell === 'object' && cell !== null ? cellMistake(cell, workbook) : undefined;
      if (!mistake) continue;
      const at = `${path}/rows/${rowIndex}${Array.isArray(row) ? '' : '/cells'}/${index}`;
      yield { ...mistake, path: `${at}/${mistake.path}` };
    }
  }
}

function cellMistake(cell: TypedCell, workbook: Workbook): Mistake | undefined {
  if (cell.type === 'formula') {
    const message = formulaMistake(cell.formula, workbook);
    return message === undefined ? undefined : { path: 'formula', message };
  }
  if (cell.type !== 'date') return undefined;
  const date = cell.value.slice(0, 10);
  const day = Number(date.slice(8));
  // Every month has 28 days; `Date` is slow where a sheet has many.
  if (day <= 28 || new Date(`${date}T00:00:00Z`).getUTCDate() === day) return undefined;
  return { path: 'value', message: 'không phải là ngày có trong lịch' };
}
