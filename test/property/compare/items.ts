import type { ListItem } from '../../../src/common/generated/script.ts';

/** A list item as an object, whichever way it was written. */
export function itemObject(item: ListItem): Exclude<ListItem, string | readonly unknown[]> {
  return typeof item === 'string' || Array.isArray(item) ? { text: item } : item;
}
