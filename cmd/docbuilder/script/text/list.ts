import type { List, ListItem } from '../../../../src/common/generated/script.ts';
import { itemParts } from '../check/list-item.ts';
import type { BlockBuilder, BlockPlace, TextContext } from './context.ts';
import { listStyle, type Mark, markAt, marksOf } from './list-style.ts';
import { blockStyle } from './paragraph.ts';
import { runs } from './runs.ts';
import type { StyleName } from './style.ts';

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
  const marks = marksOf(block, LEVELS);
  const listing: Listing = { ...context, numbering: block.numbering, marks, place };
  const ordered = block.ordered === true;
  const last = block.items.length - 1;
  yield `<text:list text:style-name="${listStyle(marks, block.start ?? 1, context.styles)}">`;
  for (const [index, item] of block.items.entries()) {
    yield* itemXml(item, { level: 0, ordered, first: index === 0, last: index === last }, listing);
  }
  yield '</text:list>';
};

interface ItemPlace {
  /** From 0. */
  level: number;
  ordered: boolean;
  /** It begins, or ends, the whole list. */
  first: boolean;
  last: boolean;
}

function* itemXml(item: ListItem, at: ItemPlace, listing: Listing): Generator<string> {
  const { text, ordered = at.ordered, items } = itemParts(item);
  const style = itemStyle({ ...at, last: at.last && !items }, listing);
  yield `<text:list-item><text:p text:style-name="${style}">`;
  yield* runs(text, listing.styles);
  yield '</text:p>';
  if (items) {
    yield listStart(at.level + 1, ordered, listing);
    const end = items.length - 1;
    for (const [index, child] of items.entries()) {
      yield* itemXml(child, { level: at.level + 1, ordered, first: false, last: at.last && index === end }, listing);
    }
    yield '</text:list>';
  }
  yield '</text:list-item>';
}

/** A list below an item says nothing of its style unless it differs: so it restarts with each item above it. */
function listStart(level: number, ordered: boolean, { marks, numbering, styles }: Listing): string {
  const mark = markAt(level, ordered, numbering);
  if (marks[level] === mark) return '<text:list>';
  return `<text:list text:style-name="${listStyle(marks.with(level, mark), 1, styles)}">`;
}

function itemStyle({ level, ordered, first, last }: ItemPlace, listing: Listing): string {
  const name = styleName(level, ordered);
  if (!first && !last) return name;
  const spaces = { after: last ? listing.style.spaces.Text_20_body.after : undefined };
  return blockStyle(name, { place: first ? listing.place : undefined, spaces }, listing);
}

function styleName(level: number, ordered: boolean): StyleName {
  return `List_20_${ordered ? 'Number' : 'Bullet'}${LEVEL_SUFFIXES[level] ?? '_20_3'}`;
}
