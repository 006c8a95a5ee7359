import type {
  Block,
  Cell,
  Element,
  Image,
  ImageElement,
  ListItem,
  ListItemObject,
  Row,
  Script,
} from '../../../src/common/generated/script.ts';

interface Part {
  path: string;
  part: Block | Element | { type: 'area'; items: ListItem[] };
}

/** The blocks of a script, and the areas with lists and the elements of its slides. */
export function* getParts({ body = [], slides = [] }: Script): Generator<Part> {
  for (const [index, part] of body.entries()) yield { path: `/body/${index}`, part };
  for (const [index, slide] of slides.entries()) {
    const path = `/slides/${index}`;
    for (const name of ['content', 'left', 'right']) {
      const items: unknown = slide[name as keyof typeof slide];
      if (Array.isArray(items)) yield { path: `${path}/${name}`, part: { type: 'area', items } };
    }
    for (const [place, part] of (slide.elements ?? []).entries()) yield { path: `${path}/elements/${place}`, part };
  }
}

/** Every image of a script, with its JSON Pointer. */
export function* getImages(script: Script): Generator<{ path: string; image: Image | ImageElement }> {
  for (const { path, part } of getParts(script)) if (part.type === 'image') yield { path, image: part };
}

/** A list item in its long form. */
export function itemParts(item: ListItem): ListItemObject {
  return typeof item === 'string' || Array.isArray(item) ? { text: item } : item;
}

/** The cells of a row in either form. */
export function getCells(row: Row): readonly Cell[] {
  return Array.isArray(row) ? row : row.cells;
}
