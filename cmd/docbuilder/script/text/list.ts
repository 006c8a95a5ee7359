import type { List, ListItem } from '../../../../src/common/generated/script.ts';
import { itemParts } from '../parts.ts';
import { properties, type Styles } from '../styles.ts';
import { element, mm } from '../xml.ts';
import { type BlockBuilder, type BlockPlace, blockStyle, runs, type TextContext } from './paragraph.ts';

const LEVELS = 3;
const LEVEL_SUFFIXES = ['', '_20_2', '_20_3'] as const;

/** One list as its items see it. */
interface Listing extends TextContext {
  numbering: List['numbering'];
  /** Marks of its list style. */
  marks: readonly Mark[];
  place: BlockPlace;
}

/** A bulleted or numbered list; lists below its items may be of the other kind. */
export const list: BlockBuilder<List> = function* (block, place, context) {
  const marks = toMarks(block);
  const listing: Listing = { ...context, numbering: block.numbering, marks, place };
  yield `<text:list text:style-name="${listStyle(marks, block.start ?? 1, context.styles)}">`;
  yield* itemsXml(block.items, { level: 0, ordered: block.ordered === true, first: true, last: true }, listing);
  yield '</text:list>';
};

interface ItemsPlace {
  /** From 0. */
  level: number;
  ordered: boolean;
  /** They begin, or end, the whole list. */
  first: boolean;
  last: boolean;
}

function* itemsXml(items: readonly ListItem[], at: ItemsPlace, listing: Listing): Generator<string> {
  for (const [index, item] of items.entries()) {
    const { text, items: below, ordered = at.ordered } = itemParts(item);
    const first = at.first && index === 0;
    const last = at.last && index === items.length - 1;
    const style = itemStyle({ ...at, first, last: last && !below }, listing);
    yield `<text:list-item><text:p text:style-name="${style}">`;
    yield* runs(text, listing.styles);
    yield '</text:p>';
    if (below) {
      yield listStart(at.level + 1, ordered, listing);
      yield* itemsXml(below, { level: at.level + 1, ordered, first: false, last }, listing);
      yield '</text:list>';
    }
    yield '</text:list-item>';
  }
}

/** A list below an item says nothing of its style unless it differs: so it restarts with each item above it. */
function listStart(level: number, ordered: boolean, { marks, numbering, styles }: Listing): string {
  const mark = markAt(level, ordered, numbering);
  if (marks[level] === mark) return '<text:list>';
  return `<text:list text:style-name="${listStyle(marks.with(level, mark), 1, styles)}">`;
}

function itemStyle({ level, ordered, first, last }: ItemsPlace, listing: Listing): string {
  const name = `List_20_${ordered ? 'Number' : 'Bullet'}${LEVEL_SUFFIXES[level] ?? '_20_3'}` as const;
  if (!first && !last) return name;
  const spaces = { after: last ? listing.style.spaces.Text_20_body.after : undefined };
  return blockStyle(name, { place: first ? listing.place : undefined, spaces }, listing);
}

/** The mark before the items of one level. */
type Mark = 'bullet' | NonNullable<List['numbering']>;

/** Millimetres before the text of each level, and between its mark and the text. */
const INDENT = 7.5;
const FIRST_INDENT = 12.5;
const BULLETS = ['•', '◦', '▪'];
/** A font that has the bullets, on every desk. */
const BULLET_FONT = "'Arial'";
const NUM_FORMATS = { decimal: '1', lower_alpha: 'a', upper_alpha: 'A', lower_roman: 'i', upper_roman: 'I' } as const;

/** The numbering of the levels below a numbered one, which is never that of one above them. */
const BELOW: Record<Exclude<Mark, 'bullet'>, readonly Mark[]> = {
  decimal: ['decimal', 'lower_alpha', 'lower_roman'],
  lower_alpha: ['lower_alpha', 'lower_roman', 'decimal'],
  upper_alpha: ['upper_alpha', 'decimal', 'lower_alpha'],
  lower_roman: ['lower_roman', 'lower_alpha', 'decimal'],
  upper_roman: ['upper_roman', 'upper_alpha', 'decimal'],
};

/** The mark of a level (from 0) that is numbered or not, in a list that counts in a certain way. */
function markAt(level: number, ordered: boolean, numbering: List['numbering'] = 'decimal'): Mark {
  return ordered ? (BELOW[numbering][level] ?? 'decimal') : 'bullet';
}

/** The marks of a list as its first branches have them. Where another branch differs, it gets a style of its own. */
function toMarks({ items, ordered = false, numbering }: List): Mark[] {
  const kinds = [ordered];
  const visit = (below: readonly ListItem[], level: number): void => {
    for (const item of below) {
      if (kinds.length === LEVELS) return;
      const { items: inner, ordered: otherwise } = itemParts(item);
      if (!inner) continue;
      kinds[level + 1] ??= otherwise ?? kinds[level] ?? false;
      visit(inner, level + 1);
    }
  };
  visit(items, 0);
  return Array.from({ length: LEVELS }, (_, level) => markAt(level, kinds[level] ?? kinds.at(-1) ?? false, numbering));
}

/** The automatic list style with these marks (ODF 1.3 part 3, 16.31). */
function listStyle(marks: readonly Mark[], start: number, styles: Styles): string {
  const levels = marks.map((mark, level) => levelStyle(mark, level, level === 0 ? start : 1));
  return styles.other('L', 'text:list-style', levels.join(''));
}

function levelStyle(mark: Mark, level: number, start: number): string {
  const left = mm(FIRST_INDENT + level * INDENT);
  const alignment = element('style:list-level-label-alignment', {
    'text:label-followed-by': 'listtab',
    'text:list-tab-stop-position': left,
    'fo:text-indent': mm(-INDENT),
    'fo:margin-left': left,
  });
  const position = properties(
    'list-level',
    { 'text:list-level-position-and-space-mode': 'label-alignment' },
    alignment,
  );
  if (mark === 'bullet') {
    const attributes = { 'text:level': level + 1, 'text:bullet-char': BULLETS[level] };
    const font = properties('text', { 'fo:font-family': BULLET_FONT });
    return element('text:list-level-style-bullet', attributes, position + font);
  }
  const attributes = {
    'text:level': level + 1,
    'style:num-format': NUM_FORMATS[mark],
    'style:num-suffix': '.',
    'text:start-value': start === 1 ? undefined : start,
  };
  return element('text:list-level-style-number', attributes, position);
}
