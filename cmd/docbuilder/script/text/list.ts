import type { List, ListItem } from '../../../../src/common/generated/script.ts';
import { itemParts } from '../parts.ts';
import { properties, type Styles } from '../styles.ts';
import { element, mm } from '../xml.ts';
import { type BlockBuilder, type BlockPlace, blockStyle, runs, type TextContext } from './paragraph.ts';

interface Listing extends TextContext {
  numbering: List['numbering'];
  /** Marks of its list style, by level. */
  marks: readonly Mark[];
  place: BlockPlace;
}

/** A bulleted or numbered list; lists below its items may be of the other kind. */
export const list: BlockBuilder<List> = function* (block, place, context) {
  const marks = firstMarks(block);
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
  const { styles, marks, numbering } = listing;
  const level = at.level + 1;
  for (const [index, item] of items.entries()) {
    const { text, items: below, ordered = at.ordered } = itemParts(item);
    const first = at.first && index === 0;
    const last = at.last && index === items.length - 1;
    yield `<text:list-item><text:p text:style-name="${itemStyle({ ...at, first, last: last && !below }, listing)}">`;
    yield* runs(text, styles);
    yield '</text:p>';
    if (below) {
      const mark = markAt(level, ordered, numbering);
      // Without a style of its own a list restarts with each item above it.
      const style = marks[level] === mark ? undefined : listStyle(marks.with(level, mark), 1, styles);
      yield style === undefined ? '<text:list>' : `<text:list text:style-name="${style}">`;
      yield* itemsXml(below, { level, ordered, first: false, last }, listing);
      yield '</text:list>';
    }
    yield '</text:list-item>';
  }
}

function itemStyle({ level, ordered, first, last }: ItemsPlace, listing: Listing): string {
  const suffix = level === 0 ? '' : level === 1 ? '_20_2' : '_20_3';
  const name = `List_20_${ordered ? 'Number' : 'Bullet'}${suffix}` as const;
  if (!first && !last) return name;
  const spaces = { after: last ? listing.style.spaces.Text_20_body.after : undefined };
  return blockStyle(name, { place: first ? listing.place : undefined, spaces }, listing);
}

/** The mark before the items of one level. */
type Mark = 'bullet' | NonNullable<List['numbering']>;

const LEVELS = 3;
/** Millimetres before the text of each level, and between its mark and the text. */
const INDENT = 7.5;
const FIRST_INDENT = 12.5;
const BULLETS = ['•', '◦', '▪'];
/** Every machine has it or a twin, with the bullets in it. */
const BULLET_FONT = "'Arial'";
const NUM_FORMATS = { decimal: '1', lower_alpha: 'a', upper_alpha: 'A', lower_roman: 'i', upper_roman: 'I' } as const;

/** Numberings of the levels: none is that of the level above. */
const NUMBERINGS: Record<Exclude<Mark, 'bullet'>, readonly Mark[]> = {
  decimal: ['decimal', 'lower_alpha', 'lower_roman'],
  lower_alpha: ['lower_alpha', 'lower_roman', 'decimal'],
  upper_alpha: ['upper_alpha', 'decimal', 'lower_alpha'],
  lower_roman: ['lower_roman', 'lower_alpha', 'decimal'],
  upper_roman: ['upper_roman', 'upper_alpha', 'decimal'],
};

function markAt(level: number, ordered: boolean, numbering: List['numbering'] = 'decimal'): Mark {
  return ordered ? (NUMBERINGS[numbering][level] ?? 'decimal') : 'bullet';
}

/** The marks of a list's first branches. A branch with others gets a list style of its own. */
function firstMarks({ items, ordered = false, numbering }: List): Mark[] {
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

/** Name of the list style with these marks (ODF 1.3 part 3, 16.31). */
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
  const mode = { 'text:list-level-position-and-space-mode': 'label-alignment' };
  const position = properties('list-level', mode, alignment);
  if (mark === 'bullet') {
    const attributes = { 'text:level': level + 1, 'text:bullet-char': BULLETS[level] };
    const font = properties('text', { 'fo:font-family': BULLET_FONT });
    return element('text:list-level-style-bullet', attributes, position + font);
  }
  const attributes = {
    'text:level': level + 1,
    'style:num-format': NUM_FORMATS[mark],
    // After z come aa and bb, as in Word.
    'style:num-letter-sync': mark.endsWith('alpha') ? 'true' : undefined,
    'style:num-suffix': '.',
    'text:start-value': start === 1 ? undefined : start,
  };
  return element('text:list-level-style-number', attributes, position);
}
