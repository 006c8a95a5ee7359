import { type Attributes, element } from './xml.ts';

/** Families of `style:style` (ODF 1.3 part 3, 19.480), with what their automatic names begin with. */
const PREFIXES = {
  text: 'T',
  paragraph: 'P',
  table: 'Tb',
  'table-column': 'Co',
  'table-row': 'Ro',
  'table-cell': 'Ce',
  graphic: 'Gr',
  presentation: 'Pr',
  'drawing-page': 'Dp',
} as const;
export type StyleFamily = keyof typeof PREFIXES;

/** A register of automatic styles: one style for one look, however often it is asked for. */
export interface Styles {
  /**
   * Name of the automatic style with this content.
   * @param content from `properties()`; nothing to say and no attributes still makes a style
   * @param attributes of `style:style`, such as `style:parent-style-name`
   */
  style(family: StyleFamily, content: string, attributes?: Attributes): string;
  /**
   * Name of any other automatic style, such as `text:list-style` or `number:date-style`.
   * @param prefix what its name begins with; one of its own for each `tag`
   */
  other(prefix: string, tag: string, content: string, attributes?: Attributes): string;
  /** All of them, for `office:automatic-styles`, in the order they were first asked for. */
  xml(): string;
}

export function createStyles(): Styles {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const written: string[] = [];

  function other(prefix: string, tag: string, content: string, attributes: Attributes = {}): string {
    const key = element(tag, attributes, content);
    const known = names.get(key);
    if (known !== undefined) return known;
    const count = (counts.get(prefix) ?? 0) + 1;
    const name = `${prefix}${count}`;
    counts.set(prefix, count);
    names.set(key, name);
    written.push(element(tag, { 'style:name': name, ...attributes }, content));
    return name;
  }

  return {
    other,
    style: (family, content, attributes) =>
      other(PREFIXES[family], 'style:style', content, { 'style:family': family, ...attributes }),
    xml: () => written.join(''),
  };
}

/**
 * `style:<kind>-properties`, or nothing where there is nothing to say.
 * @param kind such as `text`, `paragraph`, `table-cell`, `graphic`
 */
export function properties(kind: string, attributes: Attributes, content = ''): string {
  const said = Object.values(attributes).some((value) => value !== undefined);
  return said || content ? element(`style:${kind}-properties`, attributes, content) : '';
}

/** A named style, for `office:styles`. */
export function namedStyle(
  family: string,
  name: string,
  displayName: string,
  content: string,
  attributes: Attributes = {},
) {
  return element(
    'style:style',
    {
      'style:name': name,
      'style:display-name': displayName === name ? undefined : displayName,
      'style:family': family,
      ...attributes,
    },
    content,
  );
}
