import type { Sheet } from '../../../../src/common/generated/script.ts';
import { checkFirstArgument, checkFunction, checkNoArguments, fileName, plainName } from './formula-functions.ts';
import { FormulaError, type FormulaToken, lex, OTHER_FILES } from './formula-tokens.ts';

/** The limits of Excel. */
const MAX_DEPTH = 64;
const MAX_ARGUMENTS = 255;
const MAX_TEXT = 255;

interface Level {
  /** Name of the function; a bracket has none. */
  name: string | undefined;
  arguments: number;
  /** The current argument has an operand. */
  filled: boolean;
  /** An earlier argument was not empty. */
  given: boolean;
}

interface State {
  levels: Level[];
  /** The next token may be this; `operator` stands for everything behind an operand. */
  expected: 'operand' | 'operator' | 'reference';
  /** `:` may follow. */
  reference: boolean;
}

/** Sheet names are equal without regard to case, and to the two Unicode spellings of accents. */
export function sheetKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Names of the sheets that formulas may refer to, by their keys. */
export type Workbook = ReadonlyMap<string, string>;

/** @param names from `sheetNames()` */
export function createWorkbook(names: readonly string[]): Workbook {
  return new Map(names.map((name) => [sheetKey(name), name]));
}

/**
 * A formula as Excel's files have it: newer functions with their prefix, truth values as calls, sheets in quotes.
 * @param formula with its `=`
 * @throws {FormulaError} for what is no formula, or refers to an unknown sheet or to anything outside
 */
export function fileForm(formula: string, workbook: Workbook): string {
  const state: State = { levels: [], expected: 'operand', reference: false };
  let text = '=';
  let place = 1;
  try {
    for (const token of lex(formula.slice(1))) {
      text += token.kind === 'space' ? token.text : step(state, token, workbook);
      place += token.length;
    }
    if (state.levels.length > 0) throw new FormulaError('có dấu ngoặc không được đóng');
    if (state.expected !== 'operator') throw new FormulaError('thiếu một phần ở cuối');
  } catch (error) {
    if (error instanceof FormulaError) error.place = place;
    throw error;
  }
  return text;
}

/** The mistake that `fileForm` finds, and its place. It quotes nothing: errors have no content (contract: Error object). */
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
  const isBehindOperand = state.expected === 'operator';
  if (token.kind !== 'operator') {
    if (isBehindOperand) throw new FormulaError('thiếu toán tử hoặc dấu phẩy');
    return takeOperand(state, token, workbook);
  }
  if (text === '(' && !isBehindOperand) return open(state, undefined, text);
  if (text === ')') return close(state);
  if (text === ',') return separate(state);
  if (!isBehindOperand) {
    if (state.expected === 'operand' && (text === '-' || text === '+')) return text;
    throw new FormulaError('thiếu một phần trước toán tử');
  }
  if (text === '(') throw new FormulaError('thiếu toán tử trước dấu ngoặc');
  if (text === ':' && !state.reference) throw new FormulaError('chỉ giữa các ô mới có dấu :');
  if (text === '%') state.reference = false;
  else state.expected = text === ':' ? 'reference' : 'operand';
  return text;
}

function takeOperand(state: State, { kind, text, sheet }: FormulaToken, workbook: Workbook): string {
  const literal = kind === 'text' ? text.slice(1, -1).replaceAll('""', '"') : undefined;
  if (literal && literal.length > MAX_TEXT) {
    throw new FormulaError(`có chuỗi dài hơn ${MAX_TEXT} ký tự: hãy nối bằng &`);
  }
  fill(state.levels.at(-1), literal);
  if (kind === 'call') {
    const name = plainName(text);
    checkFunction(name);
    return open(state, name, `${fileName(name)}(`);
  }
  const reference = kind === 'cell' || kind === 'range';
  if (state.expected === 'reference' && !reference) throw new FormulaError('chỉ giữa các ô mới có dấu :');
  Object.assign(state, { expected: 'operator', reference });
  if (kind === 'truth') return `${text.toUpperCase()}()`;
  if (kind === 'missing') return 'NA()';
  return reference ? sheetPrefix(sheet, workbook) + text.toUpperCase() : text;
}

function sheetPrefix(sheet: string | undefined, workbook: Workbook): string {
  if (sheet === undefined) return '';
  const name = workbook.get(sheetKey(sheet));
  if (/[[\]/\\]/.test(sheet)) throw new FormulaError(OTHER_FILES);
  if (sheet.includes(':')) throw new FormulaError('không hỗ trợ tham chiếu qua nhiều trang tính');
  if (name === undefined) throw new FormulaError('không có trang tính như vậy');
  return `'${name.replaceAll("'", "''")}'!`;
}

/** An argument begins, or ends without an operand. @param text of a literal */
function fill(level: Level | undefined, text?: string): void {
  if (!level || level.filled) return;
  level.filled = true;
  if (level.name !== undefined && level.arguments === 1) checkFirstArgument(level.name, text);
}

function open(state: State, name: string | undefined, text: string): string {
  fill(state.levels.at(-1));
  if (state.levels.length === MAX_DEPTH) throw new FormulaError(`lồng nhau hơn ${MAX_DEPTH} cấp`);
  state.levels.push({ name, arguments: 1, filled: false, given: false });
  state.expected = 'operand';
  return text;
}

function close(state: State): string {
  const level = state.levels.pop();
  if (!level) throw new FormulaError('thừa một dấu ngoặc đóng');
  endArgument(state, level, 'dấu ngoặc đóng');
  if (level.name !== undefined && !level.given) checkNoArguments(level.name);
  Object.assign(state, { expected: 'operator', reference: true });
  return ')';
}

function separate(state: State): string {
  const level = state.levels.at(-1);
  if (level?.name === undefined) throw new FormulaError('dấu phẩy chỉ đứng giữa các đối số của hàm');
  endArgument(state, level, 'dấu phẩy');
  level.arguments++;
  if (level.arguments > MAX_ARGUMENTS) throw new FormulaError(`có hàm nhận hơn ${MAX_ARGUMENTS} đối số`);
  level.filled = false;
  state.expected = 'operand';
  return ',';
}

/** An argument of a function may be empty; an expression in brackets may not. */
function endArgument({ expected }: State, level: Level, before: string): void {
  const isEmpty = expected === 'operand' && !level.filled && level.name !== undefined;
  if (expected !== 'operator' && !isEmpty) throw new FormulaError(`thiếu một phần trước ${before}`);
  if (!isEmpty) level.given = true;
  fill(level);
}

/** The names of sheets; one without a name gets the first free of `Sheet1`, `Sheet2` … */
export function sheetNames(sheets: readonly Sheet[]): string[] {
  const taken = new Set(sheets.map(({ name }) => name?.toLowerCase()));
  let count = 0;
  return sheets.map(({ name }) => {
    if (name !== undefined) return name;
    do count++;
    while (taken.has(`sheet${count}`));
    return `Sheet${count}`;
  });
}
