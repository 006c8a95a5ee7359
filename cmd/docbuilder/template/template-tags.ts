import { normalized } from '../source/inspect/unicode.ts';

/** `value` stands for a text; `open` and `close` enclose what is repeated for each item of a list. */
export type TagKind = 'value' | 'open' | 'close';

/** A tag of a template. */
export interface Tag {
  kind: TagKind;
  /** Field name, trimmed; `.` for the item itself. */
  name: string;
  /** As written. */
  source: string;
}

/** A tag with its place in a text: from `start` up to `end`. */
export interface PlacedTag extends Tag {
  start: number;
  end: number;
}

export interface TagMistake {
  tag: string;
  /** Empty where it cannot be told. */
  field: string;
  message: string;
}

const OPEN = '{{';
const CLOSE = '}}';
/** Lists in lists. */
const MOST_NESTED = 32;
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

/** Finds the tags in the text of one paragraph: a tag does not go over the end of its paragraph. */
export function scanTags(text: string): { tags: PlacedTag[]; mistakes: TagMistake[] } {
  const tags: PlacedTag[] = [];
  const mistakes: TagMistake[] = [];
  let position = 0;
  for (;;) {
    const start = text.indexOf(OPEN, position);
    const stray = text.indexOf(CLOSE, position);
    if (start < 0 && stray < 0) return { tags, mistakes };
    if (start < 0 || (stray >= 0 && stray < start)) {
      mistakes.push({ tag: CLOSE, field: '', message: 'có }} mà không có {{ trong đoạn này' });
      position = stray + CLOSE.length;
      continue;
    }
    position = start + OPEN.length;
    const close = text.indexOf(CLOSE, position);
    const next = text.indexOf(OPEN, position);
    if (close < 0 || (next >= 0 && next < close)) {
      mistakes.push(unclosed(text.slice(position, position + MOST_SHOWN)));
      continue;
    }
    const end = close + CLOSE.length;
    const tag = readTag(text.slice(position, close));
    if ('message' in tag) mistakes.push(tag);
    else tags.push({ ...tag, start, end });
    position = end;
  }
}

/** The tag never ends, so what follows it is the document's own text: only a first word can be its name. */
function unclosed(rest: string): TagMistake {
  const name = /^\s*([#/]?[^\s{}]*)/.exec(rest)?.[1] ?? '';
  const message = 'có {{ mà không có }} trong đoạn này';
  return { tag: `${OPEN}${name}`, field: name.replace(/^[#/]/, ''), message };
}

function readTag(inside: string): Tag | TagMistake {
  const source = shown(`${OPEN}${inside}${CLOSE}`);
  // Word types no-break spaces by itself, and an accented letter has two spellings.
  const text = normalized(inside.replaceAll('\u00a0', ' ').trim(), 'NFC');
  const reserved = Object.hasOwn(RESERVED, text.charAt(0)) ? RESERVED[text.charAt(0)] : undefined;
  if (reserved !== undefined) return { tag: source, field: shown(text.slice(1).trim()), message: reserved };
  const kind = text.startsWith('#') ? 'open' : text.startsWith('/') ? 'close' : 'value';
  const name = kind === 'value' ? text : text.slice(1).trim();
  return name === '' ? { tag: source, field: '', message: 'thẻ không có tên' } : { kind, name, source };
}

function shown(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/**
 * Pairs the tags that open a list with those that close it.
 * @param tags of one part, in document order
 * @returns for each closing tag the one that it closes, and each tag that has no partner
 */
export function pairTags<T extends Tag>(
  tags: readonly T[],
): { pairs: Map<T, T>; unpaired: [tag: T, message: string][] } {
  const pairs = new Map<T, T>();
  const unpaired: [T, string][] = [];
  const open: T[] = [];
  for (const tag of tags) {
    if (tag.kind === 'open') {
      open.push(tag);
      if (open.length === MOST_NESTED + 1) unpaired.push([tag, 'danh sách lồng nhau quá sâu']);
    }
    if (tag.kind !== 'close') continue;
    // Within the bound, so that a template of nothing but tags costs no more than its length.
    const near = open.slice(-MOST_NESTED);
    const partner = near.findLastIndex(({ name }) => name === tag.name);
    if (partner < 0) unpaired.push([tag, 'thẻ đóng một danh sách chưa được mở']);
    else {
      const [opening, ...inner] = open.splice(partner - near.length);
      if (opening) pairs.set(tag, opening);
      for (const left of inner) unpaired.push([left, 'danh sách không được đóng trước danh sách bao quanh nó']);
    }
  }
  for (const left of open) unpaired.push([left, 'danh sách không được đóng']);
  return { pairs, unpaired };
}
