import { type Attributes, element, mm } from './xml.ts';

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
type StyleFamily = keyof typeof PREFIXES;

/** A register of automatic styles: one style for one look, however often it is asked for. */
export class Styles {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #written = '';

  /** Name of the automatic style with these attributes of `style:<family>-properties`. */
  of(family: StyleFamily, look: Attributes, attributes?: Attributes): string {
    return this.style(family, properties(family, look), attributes);
  }

  /**
   * Name of the automatic style with this content.
   * @param content from `properties()`; nothing to say and no attributes still makes a style
   * @param attributes of `style:style`, such as `style:parent-style-name`
   */
  style(family: StyleFamily, content: string, attributes: Attributes = {}): string {
    return this.other(PREFIXES[family], 'style:style', content, { 'style:family': family, ...attributes });
  }

  /**
   * Name of any other automatic style, such as `text:list-style` or `number:date-style`.
   * @param prefix what its name begins with; one of its own for each `tag`
   */
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

  /** All of them, for `office:automatic-styles`, in the order they were first asked for. */
  get xml(): string {
    return this.#written;
  }
}

/**
 * `style:<kind>-properties`, or nothing where there is nothing to say.
 * @param kind such as `text`, `paragraph`, `table-cell`, `graphic`
 */
export function properties(kind: string, attributes: Attributes, content = ''): string {
  const said = Object.values(attributes).some((value) => value !== undefined);
  return said || content ? element(`style:${kind}-properties`, attributes, content) : '';
}

/** A named style, for `office:styles`. Spaces of its name are written as ODF wants them. */
export function namedStyle(family: string, displayName: string, content = '', attributes: Attributes = {}): string {
  const name = displayName.replaceAll(' ', '_20_');
  const names = { 'style:name': name, 'style:display-name': displayName === name ? undefined : displayName };
  return element('style:style', { ...names, 'style:family': family, ...attributes }, content);
}

const ALIGN = { left: 'start', center: 'center', right: 'end', justify: 'justify' } as const;

/** An alignment as the value of `fo:text-align`. */
export function textAlign(align: keyof typeof ALIGN | undefined): string | undefined {
  return align && ALIGN[align];
}

/** The space between an edge and what is in it, in millimetres. */
export function padding(vertical: number, horizontal: number): Attributes {
  return {
    'fo:padding-top': mm(vertical),
    'fo:padding-right': mm(horizontal),
    'fo:padding-bottom': mm(vertical),
    'fo:padding-left': mm(horizontal),
  };
}
