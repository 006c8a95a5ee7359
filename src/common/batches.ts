/** Returns the items in their order, `size` at a time; the last batch may have fewer. */
export function* inBatches<Item>(items: readonly Item[], size: number): Generator<Item[], void> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
