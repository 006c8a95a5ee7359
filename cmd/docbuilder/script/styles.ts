import { type Attributes, element, mm } from './xml.ts';

/** Families of `style:style` (ODF 1.3 part 3, 19.480), and prefixes of their automatic names. */
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
type StyleFamily = keyof typeof PREFIXES;

/** A register of automatic styles: equal looks share one style. */
export class Styles {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #written = '';

  /** Name of the style with these attributes of `style:<family>-properties`. */
  of(family: StyleFamily, look: Attributes, attributes?: Attributes): string {
    return this.style(family, properties(family, look), attributes);
  }

  /**
   * Name of the style with this content, which may be empty.
   * @param content from `properties()`
   * @param attributes of `style:style`, such as `style:parent-style-name`
   */
  style(family: StyleFamily, content: string, attributes: Attributes = {}): string {
    return this.other(PREFIXES[family], 'style:style', content, { 'style:family': family, ...attributes });
  }

  /** Name of a style of another kind, such as `text:list-style`. @param prefix of the name; each `tag` has its own */
  other(prefix: string, tag: string, content: string, attributes: Attributes = {}): string {
    const key = element(tag, attributes, content);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(prefix) ?? 0) + 1;
    const name = `${prefix}${count}`;
    this.#counts.set(prefix, count);
    this.#names.set(key, name);
    this.#written += element(tag, { 'style:name': name, ...attributes }, content);
    return name;
  }

  /** All of them, for `office:automatic-styles`, in the order of their first use. */
  get xml(): string {
    return this.#written;
  }
}

/** `style:<kind>-properties`; empty without attributes and content. @param kind such as `text`, `paragraph`, `graphic` */
export function properties(kind: string, attributes: Attributes, content = ''): string {
  const said = Object.values(attributes).some((value) => value !== undefined);
  return said || content ? element(`style:${kind}-properties`, attributes, content) : '';
}

/** A named style, for `office:styles`. */
export function namedStyle(family: string, displayName: string, content = '', attributes: Attributes = {}): string {
  const name = displayName.replaceAll(' ', '_20_');
  const names = { 'style:name': name, 'style:display-name': displayName === name ? undefined : displayName };
  return element('style:style', { ...names, 'style:family': family, ...attributes }, content);
}

const ALIGN = { left: 'start', center: 'center', right: 'end', justify: 'justify' } as const;

/** The value of `fo:text-align`. */
export function textAlign(align: keyof typeof ALIGN | undefined): string | undefined {
  return align && ALIGN[align];
}

/** @returns attributes; lengths in millimetres */
export function padding(vertical: number, horizontal: number): Attributes {
  return {
    'fo:padding-top': mm(vertical),
    'fo:padding-right': mm(horizontal),
    'fo:padding-bottom': mm(vertical),
    'fo:padding-left': mm(horizontal),
  };
}
