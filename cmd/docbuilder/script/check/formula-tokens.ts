/** A mistake in a formula. `message` quotes nothing of it: it may be confidential. */
export class FormulaError extends Error {
  /** UTF-16 units of the formula before the mistake. */
  place = 0;
}

export const OTHER_FILES = 'không thể tham chiếu đến bảng hay tệp khác';

const KINDS = ['cell', 'operator', 'number', 'call', 'range', 'text', 'space', 'truth', 'missing', 'array'] as const;
export type TokenKind = (typeof KINDS)[number];

export interface FormulaToken {
  kind: TokenKind;
  /** The token as written, without the sheet; of a call only the name. */
  text: string;
  /** UTF-16 units of the token with the sheet. */
  length: number;
  sheet: string | undefined;
}

const SHEET = String.raw`(?:(?<sheet>'(?:[^']|'')+'|[\p{L}_][\p{L}\p{M}\p{N}_.]*)!)?`;
const NO_NAME = String.raw`(?![\p{L}\p{N}_.(!])`;
// No two neighbours in a pattern may match the same characters: hostile formulas would be tried in every division.
const NUMBER = String.raw`(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d{1,3})?`;
const TEXT = '"(?:[^"]|"")*"';
const REFERENCE = new RegExp(
  String.raw`${SHEET}(?:(?<range>\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?[1-9]\d{0,6}:\$?[1-9]\d{0,6})|(?<cell>\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}))${NO_NAME}`,
  'uy',
);
const SIMPLE = new RegExp(
  [
    '(?<space> +)',
    `(?<text>${TEXT})`,
    String.raw`(?<missing>#N\/A)`,
    String.raw`(?<array>\{(?:[^"{}]|"[^"]*")*\})`,
    `(?<number>${NUMBER})${NO_NAME}`,
    String.raw`(?<call>[A-Za-z_][A-Za-z0-9_.]*) *\(`,
    `(?<truth>[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])${NO_NAME}`,
    String.raw`(?<operator><>|<=|>=|[-+*\/^&=<>%:,()])`,
  ].join('|'),
  'uy',
);
const ELEMENT = new RegExp(
  `(?:[-+]?${NUMBER}|${TEXT}|[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]) *(?<separator>[,;}]) *`,
  'uy',
);
const WORD = /'[^']*'?|[\p{L}\p{N}_.$\\]+|./uy;

/** The last row and column of a sheet, counted from 1. */
export const LAST_ROW = 1_048_576;
export const LAST_COLUMN = 16_384;

/** The tokens of a formula in Excel's notation. @param formula without its `=` @throws {FormulaError} */
export function* lex(formula: string): Generator<FormulaToken> {
  let place = 0;
  while (place < formula.length) {
    const match = at(REFERENCE, formula, place) ?? at(SIMPLE, formula, place);
    if (!match) throw new FormulaError(unknown(formula, place));
    place += match[0].length;
    const token = toToken(match);
    if (token.kind === 'array') checkArray(token.text);
    yield token;
  }
}

function at(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

function toToken({ 0: { length }, groups = {} }: RegExpExecArray): FormulaToken {
  for (const kind of KINDS) {
    const text = groups[kind];
    if (text === undefined) continue;
    if (kind === 'cell' || kind === 'range') checkBounds(text);
    const sheet = groups['sheet'];
    const name = sheet?.startsWith("'") ? sheet.slice(1, -1).replaceAll("''", "'") : sheet;
    return { kind, text, length, sheet: name };
  }
  throw new FormulaError('không đọc được');
}

const NEAR = /^\$?[A-Za-z]{1,2}\$?\d{1,6}$/;

function checkBounds(reference: string): void {
  if (NEAR.test(reference)) return;
  for (const [part] of reference.matchAll(/\p{L}+|\d+/gu)) {
    const beyond = /\d/.test(part) ? Number(part) > LAST_ROW : columnNumber(part) > LAST_COLUMN;
    if (beyond) throw new FormulaError(`có ô nằm ngoài trang tính, vốn kết thúc ở XFD${LAST_ROW}`);
  }
}

/** Counted from 1. */
export function columnNumber(letters: string): number {
  return [...letters.toUpperCase()].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);
}

/** Numbers, texts and truth values, in rows of equal length. */
function checkArray(array: string): void {
  let place = 1 + (/^\{( *)/.exec(array)?.[1]?.length ?? 0);
  const widths = [1];
  while (place < array.length) {
    const match = at(ELEMENT, array, place);
    if (!match) throw new FormulaError('phần trong ngoặc nhọn không phải danh sách số, chuỗi và giá trị logic');
    place += match[0].length;
    if (match.groups?.['separator'] === ';') widths.push(1);
    else if (match.groups?.['separator'] === ',') widths.push((widths.pop() ?? 0) + 1);
  }
  if (new Set(widths).size > 1) throw new FormulaError('các hàng trong ngoặc nhọn không cùng độ dài');
}

function unknown(formula: string, place: number): string {
  const word = at(WORD, formula, place)?.[0] ?? '';
  const rest = formula.slice(place);
  if (word === '"') return 'có dấu nháy không được đóng';
  if (/^(?:'[^']*'|[\p{L}\p{N}_.]+):[^!]*!/u.test(rest)) return 'không hỗ trợ tham chiếu qua nhiều trang tính';
  if (word === '[' || /^'[^']*(?:\[|'#)/.test(rest)) return OTHER_FILES;
  if (word.startsWith("'")) return 'tên trong dấu nháy không được đóng, hoặc không có ô nào theo sau';
  if (word === '{' || word === '}') return 'có dấu ngoặc nhọn không khớp';
  if (word === ';') return 'các đối số cách nhau bằng dấu phẩy';
  if (/^#[A-Z]/i.test(rest)) return 'không thể ghi giá trị lỗi khác #N/A';
  if (/^[\p{L}_\\]/u.test(word)) return 'có từ không phải ô, hàm hay trang tính; không có tên do người dùng định nghĩa';
  return 'có ký hiệu không đúng chỗ';
}
