import type { Inline, ListItem } from '../../../../src/common/generated/script.ts';

/** A list item with all that one may say. */
export interface ItemParts {
  text: Inline;
  /** True if the items below it are numbered; they are like the item itself if it does not say. */
  ordered?: boolean;
  items?: ListItem[];
}

/** An item in its long form: one that is mere text says nothing else. */
export function itemParts(item: ListItem): ItemParts {
  return typeof item === 'string' || Array.isArray(item) ? { text: item } : item;
}
