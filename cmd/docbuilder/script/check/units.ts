import type { Block, Element, ListItem, Script, Slide } from '../../../../src/common/generated/script.ts';
import { itemParts } from './list-item.ts';

/**
 * The units of a script, counted against `max_script_units`: one for each block, list item, table row (a header row is
 * one), sheet row, slide and slide element.
 */
export function scriptUnits({ body = [], sheets = [], slides = [] }: Script): number {
  return (
    sum(body, (block) => 1 + contentUnits(block)) +
    sum(sheets, ({ rows }) => rows.length) +
    sum(slides, (slide) => 1 + slideUnits(slide))
  );
}

function slideUnits(slide: Slide): number {
  const areas = [
    ...('content' in slide ? [slide.content] : []),
    ...('left' in slide ? [slide.left] : []),
    ...('right' in slide ? [slide.right] : []),
  ];
  return (
    sum(areas, (content) => (Array.isArray(content) ? itemUnits(content) : 0)) +
    sum(slide.elements ?? [], (element) => 1 + contentUnits(element))
  );
}

function contentUnits(part: Block | Element): number {
  if (part.type === 'list' || part.type === 'bullets') return itemUnits(part.items);
  if (part.type === 'table') return part.rows.length + (part.header ? 1 : 0);
  return 0;
}

function itemUnits(items: readonly ListItem[]): number {
  return sum(items, (item) => 1 + itemUnits(itemParts(item).items ?? []));
}

function sum<Item>(items: readonly Item[], units: (item: Item) => number): number {
  return items.reduce((total, item) => total + units(item), 0);
}
