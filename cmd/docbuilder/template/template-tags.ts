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

/** Returns true if a paragraph has nothing but one tag of a list, and spaces. */
export function isListTagAlone(text: string): boolean {
  return /^\s*\{\{\s*[#/](?:(?!\}\}).)*\}\}\s*$/s.test(text) && text.indexOf(OPEN) === text.lastIndexOf(OPEN);
}

/** Returns a tag as it is shown in a message. */
export function shownTag(inside: string): string {
  return shown(`${OPEN}${inside}${CLOSE}`);
}

function shown(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
