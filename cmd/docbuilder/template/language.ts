import { normalized } from '../source/inspect/unicode.ts';

export interface TagMistake {
  tag: string;
  /** Empty if unknown. */
  field: string;
  message: string;
}

const OPEN = '{{';
const CLOSE = '}}';
/** Characters of a tag in a message. */
const MOST_SHOWN = 120;

/** First characters of tags in other template languages. Version 1 has none of them, and says so. */
const RESERVED = new Map(
  Object.entries({
    '^': 'không hỗ trợ điều kiện',
    '@': 'không hỗ trợ XML thô',
    '{': 'không hỗ trợ giá trị không thoát ký tự',
    '&': 'không hỗ trợ giá trị không thoát ký tự',
    '>': 'không hỗ trợ mẫu con',
    '<': 'không hỗ trợ mẫu con',
    '!': 'không hỗ trợ chú thích trong thẻ',
    '=': 'không hỗ trợ dấu phân cách khác',
  }),
);

/** Finds the mistakes in the tags of one paragraph, where each tag ends. @param text of the whole paragraph */
export function scanTags(text: string): TagMistake[] {
  const mistakes: TagMistake[] = [];
  let opened: number | undefined;
  for (const { 0: brace, index } of text.matchAll(/\{\{|\}\}/g)) {
    if (brace === CLOSE && opened === undefined) {
      mistakes.push({ tag: CLOSE, field: '', message: 'có }} mà không có {{ trong đoạn này' });
    } else if (brace === CLOSE) {
      mistakes.push(...checkTag(text.slice(opened, index)));
      opened = undefined;
    } else {
      if (opened !== undefined) mistakes.push(unclosed(text.slice(opened, opened + MOST_SHOWN)));
      opened = index + OPEN.length;
    }
  }
  if (opened !== undefined) mistakes.push(unclosed(text.slice(opened, opened + MOST_SHOWN)));
  return mistakes;
}

/** The text behind a tag that never ends is the document's: only the first word can be its name. */
function unclosed(rest: string): TagMistake {
  const name = /^\s*([#/]?[^\s{}]*)/.exec(rest)?.[1] ?? '';
  const message = 'có {{ mà không có }} trong đoạn này';
  return { tag: `${OPEN}${name}`, field: name.replace(/^[#/]/, ''), message };
}

function checkTag(inside: string): TagMistake[] {
  const tag = shownTag(inside);
  const text = canonicalName(inside);
  const message = RESERVED.get(text.charAt(0));
  if (message !== undefined) return [{ tag, field: shown(text.slice(1).trim()), message }];
  return /^[#/]?$/.test(text) ? [{ tag, field: '', message: 'thẻ không có tên' }] : [];
}

/**
 * The field's name in a tag; undefined for a tag of another kind or without a name.
 * @param inside the tag without its braces
 * @param kind `#` and `/` begin and end a list; a tag without either is a field
 */
export function fieldName(inside: string, kind: '#' | '/' | '' = ''): string | undefined {
  const text = canonicalName(inside);
  if (/^[#/]/.exec(text)?.[0] !== (kind || undefined)) return undefined;
  return text.slice(kind.length).trim() || undefined;
}

/** Word inserts no-break spaces, and accented letters have two spellings. */
function canonicalName(inside: string): string {
  return normalized(inside.replaceAll('\u00a0', ' ').trim(), 'NFC');
}

/** Returns true for a paragraph of one list tag and spaces. @param kind `#` or `/`, or either if empty */
export function isListTagAlone(text: string, kind: '#' | '/' | '' = ''): boolean {
  const found = /^\s*\{\{\s*([#/])(?:(?!\}\}).)*\}\}\s*$/s.exec(text);
  return found !== null && (kind || found[1]) === found[1] && text.indexOf(OPEN) === text.lastIndexOf(OPEN);
}

/** @returns the tag for a message */
export function shownTag(inside: string): string {
  return shown(`${OPEN}${inside}${CLOSE}`);
}

function shown(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Finds a field in one scope; `null` is found. @param name a key, or keys joined with dots, in normalization form C */
export function getField(scope: Json | undefined, name: string): Json | undefined {
  const whole = own(scope, name);
  if (whole !== undefined || !name.includes('.')) return whole;
  let value = scope;
  for (const key of name.split('.')) value = own(value, key);
  return value;
}

/** A member of the JSON value: nothing inherited, no length, in either Unicode spelling of accented letters. */
function own(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as { readonly [name: string]: Json };
  const spelling = [key, normalized(key, 'NFD')].find((name) =>
    Object.prototype.propertyIsEnumerable.call(value, name),
  );
  return spelling === undefined ? undefined : members[spelling];
}

/** From here on numbers are written with an exponent. */
const EXPONENT = 1e21;

/** @param complain is called with what is wrong */
export function textFrom(value: Json, complain: (message: string) => void): string {
  const size = typeof value === 'number' ? Math.abs(value) : 0;
  // Digits beyond 2^53 are lost (RFC 8259, section 6): an account number would come out changed.
  if (size > Number.MAX_SAFE_INTEGER && (size < EXPONENT || size === Number.POSITIVE_INFINITY)) {
    complain('số có nhiều chữ số hơn mức JSON giữ được: hãy gửi dưới dạng chuỗi');
  }
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  complain('dữ liệu có danh sách hoặc đối tượng ở chỗ cần văn bản');
  return '';
}

/** The items to repeat; `null` has none. @param complain is called with what is wrong */
export function listFrom(value: Json, complain: (message: string) => void): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (value !== null) complain('chỉ lặp được danh sách; không hỗ trợ điều kiện');
  return [];
}
