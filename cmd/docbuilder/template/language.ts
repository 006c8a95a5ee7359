import { normalized } from '../source/inspect/unicode.ts';

export interface TagMistake {
  tag: string;
  /** Empty where it cannot be told. */
  field: string;
  message: string;
}

const OPEN = '{{';
const CLOSE = '}}';
/** A tag as written is shown up to so many characters. */
const MOST_SHOWN = 120;

/**
 * First characters that mean something in other template languages. In this one they mean nothing: whoever writes them
 * expects what version 1 does not do, and hears so instead of getting an empty text.
 */
const RESERVED: Readonly<Record<string, string>> = {
  '^': 'không hỗ trợ điều kiện',
  '@': 'không hỗ trợ XML thô',
  '{': 'không hỗ trợ giá trị không thoát ký tự',
  '&': 'không hỗ trợ giá trị không thoát ký tự',
  '>': 'không hỗ trợ mẫu con',
  '<': 'không hỗ trợ mẫu con',
  '!': 'không hỗ trợ chú thích trong thẻ',
  '=': 'không hỗ trợ dấu phân cách khác',
};

/**
 * Finds the mistakes in the tags of one paragraph: a tag does not go over the end of its paragraph.
 * @param text the paragraph's whole text
 */
export function scanTags(text: string): TagMistake[] {
  const mistakes: TagMistake[] = [];
  const braces = [...text.matchAll(/\{\{|\}\}/g)];
  let opened: number | undefined;
  for (const { 0: brace, index } of braces) {
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

/** The tag never ends, so what follows it is the document's own text: only a first word can be its name. */
function unclosed(rest: string): TagMistake {
  const name = /^\s*([#/]?[^\s{}]*)/.exec(rest)?.[1] ?? '';
  const message = 'có {{ mà không có }} trong đoạn này';
  return { tag: `${OPEN}${name}`, field: name.replace(/^[#/]/, ''), message };
}

function checkTag(inside: string): TagMistake[] {
  const tag = shownTag(inside);
  const text = canonicalName(inside);
  const message = Object.hasOwn(RESERVED, text.charAt(0)) ? RESERVED[text.charAt(0)] : undefined;
  if (message !== undefined) return [{ tag, field: shown(text.slice(1).trim()), message }];
  return /^[#/]?$/.test(text) ? [{ tag, field: '', message: 'thẻ không có tên' }] : [];
}

/**
 * Returns the name of the field in a tag, or undefined if the tag is of another kind or has no name.
 * @param inside the tag without its braces
 * @param kind `#` and `/` begin and end a list; a tag without either is a field
 */
export function fieldName(inside: string, kind: '#' | '/' | '' = ''): string | undefined {
  const text = canonicalName(inside);
  if (/^[#/]/.exec(text)?.[0] !== (kind || undefined)) return undefined;
  return text.slice(kind.length).trim() || undefined;
}

/** Word types no-break spaces by itself, and an accented letter has two spellings. */
function canonicalName(inside: string): string {
  return normalized(inside.replaceAll('\u00a0', ' ').trim(), 'NFC');
}

/**
 * Returns true if a paragraph has nothing but one tag of a list, and spaces.
 * @param kind `#` and `/` ask for a tag that begins or ends one
 */
export function isListTagAlone(text: string, kind: '#' | '/' | '' = ''): boolean {
  const found = /^\s*\{\{\s*([#/])(?:(?!\}\}).)*\}\}\s*$/s.exec(text);
  return found !== null && (kind || found[1]) === found[1] && text.indexOf(OPEN) === text.lastIndexOf(OPEN);
}

/** Returns a tag as it is shown in a message. */
export function shownTag(inside: string): string {
  return shown(`${OPEN}${inside}${CLOSE}`);
}

function shown(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Finds a field in one scope.
 * @param name a key, or keys joined with dots, in normalization form C
 * @returns undefined if the scope does not have it; `null` is a value
 */
export function getField(scope: Json | undefined, name: string): Json | undefined {
  const whole = own(scope, name);
  if (whole !== undefined || !name.includes('.')) return whole;
  let value = scope;
  for (const key of name.split('.')) value = own(value, key);
  return value;
}

/**
 * A member of the JSON value itself: nothing inherited, no length. Accented letters have two spellings in Unicode, and a
 * template typed on one system meets data from another.
 */
function own(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as { readonly [name: string]: Json };
  const spelling = [key, normalized(key, 'NFD')].find((name) => isEnumerable.call(members, name));
  return spelling === undefined ? undefined : members[spelling];
}

const isEnumerable = Object.prototype.propertyIsEnumerable;

/** From here on numbers are written with an exponent, and nobody takes their digits for exact. */
const EXPONENT = 1e21;

/**
 * Returns true if a number may have been another one in the JSON text: beyond 2^53 its last digits are not kept (RFC
 * 8259, section 6). An account number would stand in a letter with other digits.
 */
function hasLostDigits(value: Json): boolean {
  if (typeof value !== 'number') return false;
  const size = Math.abs(value);
  return size === Number.POSITIVE_INFINITY || (size > Number.MAX_SAFE_INTEGER && size < EXPONENT);
}

/** Returns a value as text. @param complain is told what is wrong with the value */
export function textFrom(value: Json, complain: (message: string) => void): string {
  if (hasLostDigits(value)) complain('số có nhiều chữ số hơn mức JSON giữ được: hãy gửi dưới dạng chuỗi');
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  complain('dữ liệu có danh sách hoặc đối tượng ở chỗ cần văn bản');
  return '';
}

/** Returns the items of a value that is to be repeated; `null` has none. @param complain is told what is wrong with the value */
export function listFrom(value: Json, complain: (message: string) => void): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (value !== null) complain('chỉ lặp được danh sách; không hỗ trợ điều kiện');
  return [];
}
