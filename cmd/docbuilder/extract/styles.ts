import { type Counters, createListStyles } from './labels.ts';
import type { Attributes } from './namespaces.ts';
import type { Elements, Open } from './walk.ts';

/** The three sets of properties that a style has for different writing (ODF 1.3 part 3, section 20.195). */
export const SCRIPTS = ['western', 'asian', 'complex'] as const;
export type Script = (typeof SCRIPTS)[number];
const SUFFIX: Record<Script, string> = { western: '', asian: '-asian', complex: '-complex' };

/** How text looks in the end, as far as it matters here. Equal ones are the same object. */
export interface TextStyle {
  readonly id: number;
  readonly fonts: Readonly<Partial<Record<Script, string>>>;
  /** BCP 47 tags. */
  readonly languages: Readonly<Partial<Record<Script, string>>>;
  readonly hidden: boolean;
}

type TextProperties = Partial<Pick<TextStyle, 'fonts' | 'languages' | 'hidden'>>;

interface Style {
  parent: string | undefined;
  text: TextProperties;
  /** False for a hidden sheet or slide. */
  visible: boolean;
  masterPage: string | undefined;
  /** Whether headings with it are numbered; undefined where the parent tells. */
  numbered: boolean | undefined;
}

export interface Styles {
  /** What to read while walking a part that has styles. */
  readonly elements: Elements;
  /** Text that has no style but the default of its family. */
  base(family: string): TextStyle;
  /** Text under a style, inside of something that looks like `around`. */
  apply(around: TextStyle, family: string, name: string | undefined): TextStyle;
  isVisible(family: string, name: string | undefined): boolean;
  masterPage(family: string, name: string | undefined): string | undefined;
  /** Whether a heading with this style takes part in the numbering of headings. */
  isNumbered(name: string | undefined): boolean;
  /** Begins to count the items of a list; without a name, headings. */
  counters(listStyle: string | undefined): Counters;
}

/** Longer chains of parents are circles. */
const MAX_PARENTS = 64;
const MAX_REMEMBERED = 50_000;

/** Collects styles and resolves them (ODF 1.3 part 3, section 16.2). Later parts replace styles of the same name. */
export function createStyles(): Styles {
  const styles = new Map<string, Style>();
  const families = new Map<string, string>();
  const distinct = new Map<string, TextStyle>();
  const remembered = new Map<string, TextStyle>();
  const lists = createListStyles();
  let current: Style | undefined;

  const begin = (key: string, attributes: Attributes) => {
    const style: Style = {
      parent: attributes['style:parent-style-name'],
      text: {},
      visible: true,
      masterPage: attributes['style:master-page-name'],
      numbered: isNumbered(attributes),
    };
    styles.set(key, style);
    remembered.clear();
    current = style;
    return () => {
      current = undefined;
    };
  };

  const elements: Elements = {
    'style:font-face': (attributes) => {
      families.set(attributes['style:name'] ?? '', familyName(attributes['svg:font-family'] ?? ''));
      return undefined;
    },
    'style:default-style': (attributes) => begin(`${attributes['style:family']}`, attributes),
    'style:style': (attributes) => begin(`${attributes['style:family']} ${attributes['style:name']}`, attributes),
    'style:text-properties': (attributes) => {
      if (current) current.text = textProperties(attributes, families);
      remembered.clear();
      return undefined;
    },
    'style:table-properties': (attributes) => {
      if (current && attributes['table:display'] === 'false') current.visible = false;
      return undefined;
    },
    'style:drawing-page-properties': (attributes) => {
      if (current && attributes['presentation:visibility'] === 'hidden') current.visible = false;
      return undefined;
    },
    ...lists.elements,
    // A list's labels have text properties of their own, and the style of a shape may hold that of a list.
    'text:list-style': (attributes) => paused(lists.elements['text:list-style']?.(attributes)),
    'text:outline-style': (attributes) => paused(lists.elements['text:outline-style']?.(attributes)),
  };

  function paused(close: ReturnType<Open>): ReturnType<Open> {
    const around = current;
    current = undefined;
    return () => {
      current = around;
      if (typeof close === 'function') close();
    };
  }

  const intern = ({ fonts = {}, languages = {}, hidden = false }: TextProperties): TextStyle => {
    const key = JSON.stringify([SCRIPTS.map((script) => [fonts[script], languages[script]]), hidden]);
    const found = distinct.get(key) ?? { id: distinct.size, fonts, languages, hidden };
    distinct.set(key, found);
    return found;
  };

  /** A style, its parent, and so on. */
  const chainOf = (family: string, name: string): Style[] => {
    const chain: Style[] = [];
    for (let style = styles.get(`${family} ${name}`); style && chain.length < MAX_PARENTS; ) {
      chain.push(style);
      style = style.parent === undefined ? undefined : styles.get(`${family} ${style.parent}`);
    }
    return chain;
  };

  const resolve = (around: TextProperties, family: string, name: string): TextStyle => {
    const texts = chainOf(family, name).map(({ text }) => text);
    return intern([...texts, around].reduceRight(merge, {}));
  };

  return {
    elements,
    base(family) {
      const known = remembered.get(family);
      if (known) return known;
      const found = intern(merge({}, styles.get(family)?.text ?? {}));
      remembered.set(family, found);
      return found;
    },
    apply(around, family, name) {
      if (name === undefined) return around;
      const key = `${around.id} ${family} ${name}`;
      const known = remembered.get(key);
      if (known) return known;
      if (remembered.size > MAX_REMEMBERED) remembered.clear();
      const found = resolve(around, family, name);
      remembered.set(key, found);
      return found;
    },
    isVisible: (family, name) => styles.get(`${family} ${name}`)?.visible ?? true,
    masterPage: (family, name) => styles.get(`${family} ${name}`)?.masterPage,
    isNumbered: (name = '') =>
      chainOf('paragraph', name).find(({ numbered }) => numbered !== undefined)?.numbered ?? true,
    counters: lists.counters,
  };
}

/**
 * LibreOffice leaves out the name of the list of headings, and writes an empty name for none; a style with a level of its
 * own and no name belongs to that list.
 */
function isNumbered(attributes: Attributes): boolean | undefined {
  const list = attributes['style:list-style-name'];
  if (list !== undefined) return list !== '';
  return attributes['style:default-outline-level'] ? true : undefined;
}

function merge(under: TextProperties, over: TextProperties): TextProperties {
  const hidden = over.hidden ?? under.hidden;
  return {
    fonts: { ...under.fonts, ...over.fonts },
    languages: { ...under.languages, ...over.languages },
    ...(hidden !== undefined && { hidden }),
  };
}

function textProperties(attributes: Attributes, families: ReadonlyMap<string, string>): TextProperties {
  const fonts: Partial<Record<Script, string>> = {};
  const languages: Partial<Record<Script, string>> = {};
  for (const script of SCRIPTS) {
    const suffix = SUFFIX[script];
    const face = families.get(attributes[`style:font-name${suffix}`] ?? '');
    const prefix = script === 'western' ? 'fo' : 'style';
    const font = face || familyName(attributes[`${prefix}:font-family${suffix}`] ?? '');
    if (font) fonts[script] = font;
    const language = attributes[`${prefix}:language${suffix}`];
    const country = attributes[`${prefix}:country${suffix}`];
    const tag = attributes[`style:rfc-language-tag${suffix}`] ?? languageTag(language, country);
    if (tag !== undefined) languages[script] = tag;
  }
  const display = attributes['text:display'];
  return { fonts, languages, ...(display !== undefined && { hidden: display === 'none' }) };
}

/** The empty string stands for text that is in no language. */
function languageTag(language: string | undefined, country: string | undefined): string | undefined {
  if (language === undefined) return undefined;
  if (language === 'none' || language === 'zxx' || language === '') return '';
  return country === undefined || country === 'none' || country === '' ? language : `${language}-${country}`;
}

/** The first name of a list such as `'Liberation Sans', Arial`, without font features (`Linux Libertine G:smcp`). */
function familyName(list: string): string {
  const [, single, double, plain] = /^\s*(?:'([^']*)'|"([^"]*)"|([^,;]*))/.exec(list) ?? [];
  const first = single ?? double ?? plain ?? '';
  return (first.split(/[;:]/)[0] ?? '').trim();
}
