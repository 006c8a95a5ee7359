import type { Sheet } from '../../../../src/common/generated/script.ts';
import { checkFirstArgument, checkFunction, checkNoArguments, fileName, plainName } from './formula-functions.ts';
import { FormulaError, type FormulaToken, lex, OTHER_FILES } from './formula-tokens.ts';

/** The limits of Excel. */
const MAX_DEPTH = 64;
const MAX_ARGUMENTS = 255;
const MAX_TEXT = 255;

/** Something that is open: a call, or a bracket around an expression. */
interface Level {
  /** Name of the function; of a mere bracket there is none. */
  name: string | undefined;
  arguments: number;
  /** An operand of the argument at hand was seen. */
  filled: boolean;
  /** An argument that ended was not empty. */
  given: boolean;
}

interface State {
  levels: Level[];
  /** The token that may come next: an operand, or something behind one. */
  wanted: 'operand' | 'operator' | 'reference';
  /** Tokens that `:` may follow. */
  reference: boolean;
}

/** What tells sheets apart: their names without case, and with accents in one of their two spellings. */
export function sheetKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The sheets that formulas may refer to: their names by their keys. */
export type Workbook = ReadonlyMap<string, string>;

/** @param names from `sheetNames()` */
export function createWorkbook(names: readonly string[]): Workbook {
  return new Map(names.map((name) => [sheetKey(name), name]));
}

/**
 * A formula as it stands in files of Excel: newer functions with their prefix, truth values as calls, sheets in quotes.
 * @param formula with its `=`
 * @throws {FormulaError} where it is no formula, refers to a sheet that is not there, or to anything outside
 */
export function fileForm(formula: string, workbook: Workbook): string {
  const state: State = { levels: [], wanted: 'operand', reference: false };
  let text = '=';
  let place = 1;
  try {
    for (const token of lex(formula.slice(1))) {
      text += token.kind === 'space' ? token.text : step(state, token, workbook);
      place += token.length;
    }
    if (state.levels.length > 0) throw new FormulaError('có dấu ngoặc không được đóng');
    if (state.wanted !== 'operator') throw new FormulaError('thiếu một phần ở cuối');
  } catch (error) {
    if (error instanceof FormulaError) error.place = place;
    throw error;
  }
  return text;
}

/**
 * Returns the mistake in a formula and its character, counted from 1; undefined if there is none. See `fileForm`. Never a piece of
 * the formula: it goes into an error, which holds no content (contract: Error object).
 */
export function formulaMistake(formula: string, workbook: Workbook): string | undefined {
  try {
    fileForm(formula, workbook);
    return undefined;
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    const character = [...formula.slice(0, error.place)].length + 1;
    return `không dùng được làm công thức: ${error.message}, ở ký tự ${character}`;
  }
}

function step(state: State, token: FormulaToken, workbook: Workbook): string {
  const { text } = token;
  const operand = state.wanted !== 'operator';
  if (token.kind !== 'operator') {
    if (!operand) throw new FormulaError('thiếu toán tử hoặc dấu phẩy');
    return takeOperand(state, token, workbook);
  }
  if (text === '(' && operand) return open(state, undefined, text);
  if (text === ')') return close(state);
  if (text === ',') return separate(state);
  if (operand) {
    if (state.wanted === 'operand' && (text === '-' || text === '+')) return text;
    throw new FormulaError('thiếu một phần trước toán tử');
  }
  if (text === '%') {
    state.reference = false;
    return text;
  }
  if (text === '(') throw new FormulaError('thiếu toán tử trước dấu ngoặc');
  if (text === ':') {
    if (!state.reference) throw new FormulaError('chỉ giữa các ô mới có dấu :');
    state.wanted = 'reference';
  } else {
    state.wanted = 'operand';
  }
  return text;
}

function takeOperand(state: State, token: FormulaToken, workbook: Workbook): string {
  const { kind, text } = token;
  const literal = kind === 'text' ? text.slice(1, -1).replaceAll('""', '"') : undefined;
  if (literal && literal.length > MAX_TEXT)
    throw new FormulaError(`có chuỗi dài hơn ${MAX_TEXT} ký tự: hãy nối bằng &`);
  fill(state.levels.at(-1), literal);
  if (kind === 'call') {
    const name = plainName(text);
    checkFunction(name);
    return open(state, name, `${fileName(name)}(`);
  }
  const reference = kind === 'cell' || kind === 'range';
  if (state.wanted === 'reference' && !reference) throw new FormulaError('chỉ giữa các ô mới có dấu :');
  state.wanted = 'operator';
  state.reference = reference;
  if (kind === 'truth') return `${text.toUpperCase()}()`;
  if (kind === 'missing') return 'NA()';
  if (!reference) return text;
  return sheetPrefix(token.sheet, workbook) + text.toUpperCase();
}

function sheetPrefix(sheet: string | undefined, workbook: Workbook): string {
  if (sheet === undefined) return '';
  const name = workbook.get(sheetKey(sheet));
  if (/[[\]/\\]/.test(sheet)) throw new FormulaError(OTHER_FILES);
  if (sheet.includes(':')) throw new FormulaError('không hỗ trợ tham chiếu qua nhiều trang tính');
  if (name === undefined) throw new FormulaError('không có trang tính như vậy');
  return `'${name.replaceAll("'", "''")}'!`;
}

/** Something begins an argument, or it ends without anything; `text` where it is a literal. */
function fill(level: Level | undefined, text?: string): void {
  if (!level || level.filled) return;
  level.filled = true;
  if (level.name === undefined || level.arguments > 1) return;
  checkFirstArgument(level.name, text);
}

function open(state: State, name: string | undefined, text: string): string {
  fill(state.levels.at(-1));
  if (state.levels.length === MAX_DEPTH) throw new FormulaError(`lồng nhau hơn ${MAX_DEPTH} cấp`);
  state.levels.push({ name, arguments: 1, filled: false, given: false });
  state.wanted = 'operand';
  return text;
}

function close(state: State): string {
  const level = state.levels.pop();
  if (!level) throw new FormulaError('thừa một dấu ngoặc đóng');
  endArgument(state, level, 'dấu ngoặc đóng');
  if (level.name !== undefined && !level.given) checkNoArguments(level.name);
  state.wanted = 'operator';
  state.reference = true;
  return ')';
}

function separate(state: State): string {
  const level = state.levels.at(-1);
  if (level?.name === undefined) throw new FormulaError('dấu phẩy chỉ đứng giữa các đối số của hàm');
  endArgument(state, level, 'dấu phẩy');
  level.arguments++;
  if (level.arguments > MAX_ARGUMENTS) throw new FormulaError(`có hàm nhận hơn ${MAX_ARGUMENTS} đối số`);
  level.filled = false;
  state.wanted = 'operand';
  return ',';
}

/** An argument of a function may be empty; an expression in brackets may not. */
function endArgument(state: State, level: Level, before: string): void {
  const empty = state.wanted === 'operand' && !level.filled && level.name !== undefined;
  if (state.wanted !== 'operator' && !empty) throw new FormulaError(`thiếu một phần trước ${before}`);
  if (!empty) level.given = true;
  fill(level);
}

/** Name of each sheet, in order; one without a name gets the first of `Sheet1`, `Sheet2` … that no other has. */
export function sheetNames(sheets: readonly Sheet[]): string[] {
  const taken = new Set(sheets.flatMap(({ name }) => (name === undefined ? [] : [name.toLowerCase()])));
  let count = 0;
  return sheets.map(({ name }) => {
    if (name !== undefined) return name;
    do count++;
    while (taken.has(`sheet${count}`));
    return `Sheet${count}`;
  });
}
