import { addLevel, type Levels, ListCounter } from './list-labels.ts';
import type { Attributes, Elements, Open } from './sax.ts';

/** The sets of properties that a style has for different scripts (ODF 1.3 part 3, section 20.195). */
export const SCRIPTS = ['western', 'asian', 'complex'] as const;
export type Script = (typeof SCRIPTS)[number];
const SUFFIX: Record<Script, string> = { western: '', asian: '-asian', complex: '-complex' };

/** The properties of text that matter to extraction. Equal ones are the same object. */
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
  /** True where headings with it are numbered; undefined where the parent decides. */
  numbered: boolean | undefined;
}

/** Longer chains of parents are circles. */
const MAX_PARENTS = 64;
const MAX_RESOLVED = 50_000;
/** The name of the headings' list style; no other has an empty name. */
const HEADINGS = '';

/** The styles of a document, with their inheritance (ODF 1.3 part 3, section 16.2). */
export class Styles {
  readonly #styles = new Map<string, Style>();
  readonly #lists = new Map<string, Levels>();
  readonly #distinct = new Map<string, TextStyle>();
  readonly #resolved = new Map<string, TextStyle>();
  /** Handlers that collect the styles of a document. */
  readonly elements = styleElements(this.#styles, this.#lists, () => this.#resolved.clear());

  /** Returns the default style of a family. */
  base(family: string): TextStyle {
    return this.#resolved.get(family) ?? this.#resolve(family, [this.#styles.get(family)?.text ?? {}]);
  }

  /** Returns the style of text with a style's name inside text of another style. */
  apply(around: TextStyle, family: string, name: string | undefined): TextStyle {
    if (name === undefined) return around;
    const key = `${around.id} ${family} ${name}`;
    const known = this.#resolved.get(key);
    return known ?? this.#resolve(key, [...this.#chain(family, name).map(({ text }) => text), around]);
  }

  isVisible(family: string, name: string | undefined): boolean {
    return this.#styles.get(`${family} ${name}`)?.visible ?? true;
  }

  masterPage(family: string, name: string | undefined): string | undefined {
    return this.#styles.get(`${family} ${name}`)?.masterPage;
  }

  /** Returns whether headings with this style are numbered. */
  isNumbered(name = ''): boolean {
    return this.#chain('paragraph', name).find(({ numbered }) => numbered !== undefined)?.numbered ?? true;
  }

  /** Creates a counter for a list; without a name, for headings. */
  listCounter(name = HEADINGS): ListCounter {
    return new ListCounter(this.#lists.get(name) ?? new Map());
  }

  /** Returns a style, its parent, and so on. */
  #chain(family: string, name: string): Style[] {
    const chain: Style[] = [];
    for (let style = this.#styles.get(`${family} ${name}`); style && chain.length < MAX_PARENTS; ) {
      chain.push(style);
      style = style.parent === undefined ? undefined : this.#styles.get(`${family} ${style.parent}`);
    }
    return chain;
  }

  #resolve(key: string, chain: readonly TextProperties[]): TextStyle {
    const { fonts = {}, languages = {}, hidden = false } = chain.reduceRight(merge, {});
    const content = JSON.stringify([SCRIPTS.map((script) => [fonts[script], languages[script]]), hidden]);
    const found = this.#distinct.get(content) ?? { id: this.#distinct.size, fonts, languages, hidden };
    this.#distinct.set(content, found);
    if (this.#resolved.size > MAX_RESOLVED) this.#resolved.clear();
    this.#resolved.set(key, found);
    return found;
  }
}

/** Handlers of styles. A list style may stand inside a style and has text properties of its own, which are not read. */
function styleElements(styles: Map<string, Style>, lists: Map<string, Levels>, onChange: () => void): Elements {
  const families = new Map<string, string>();
  let current: Style | undefined;
  let levels: Levels | undefined;

  const style = (key: string, attributes: Attributes): ReturnType<Open> => {
    const { 'style:parent-style-name': parent, 'style:master-page-name': masterPage } = attributes;
    current = { parent, text: {}, visible: true, masterPage, numbered: isNumbered(attributes) };
    styles.set(key, current);
    onChange();
    return () => {
      current = undefined;
    };
  };
  const listStyle = (name: string): ReturnType<Open> => {
    const around = current;
    current = undefined;
    levels = new Map();
    lists.set(name, levels);
    return () => {
      current = around;
      levels = undefined;
    };
  };
  const level: Open = (attributes) => {
    if (levels) addLevel(levels, attributes);
    return undefined;
  };
  const hides =
    (name: string, value: string): Open =>
    (attributes) => {
      if (current && attributes[name] === value) current.visible = false;
      return undefined;
    };
  return {
    'style:font-face': (attributes) => {
      families.set(attributes['style:name'] ?? '', familyName(attributes['svg:font-family'] ?? ''));
      return undefined;
    },
    'style:default-style': (attributes) => style(`${attributes['style:family']}`, attributes),
    'style:style': (attributes) => style(`${attributes['style:family']} ${attributes['style:name']}`, attributes),
    'style:text-properties': (attributes) => {
      if (current) current.text = textProperties(attributes, families);
      onChange();
      return undefined;
    },
    'style:table-properties': hides('table:display', 'false'),
    'style:drawing-page-properties': hides('presentation:visibility', 'hidden'),
    'text:list-style': (attributes) => listStyle(attributes['style:name'] ?? ''),
    'text:outline-style': () => listStyle(HEADINGS),
    'text:list-level-style-number': level,
    'text:outline-level-style': level,
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
    const prefix = script === 'western' ? 'fo' : 'style';
    const face = families.get(attributes[`style:font-name${suffix}`] ?? '');
    const font = face || familyName(attributes[`${prefix}:font-family${suffix}`] ?? '');
    if (font) fonts[script] = font;
    const { [`${prefix}:language${suffix}`]: language, [`${prefix}:country${suffix}`]: country } = attributes;
    const tag = attributes[`style:rfc-language-tag${suffix}`] ?? languageTag(language, country);
    if (tag !== undefined) languages[script] = tag;
  }
  const display = attributes['text:display'];
  return { fonts, languages, ...(display !== undefined && { hidden: display === 'none' }) };
}

/** Returns an empty tag for text that is in no language. */
function languageTag(language: string | undefined, country = 'none'): string | undefined {
  if (language === undefined) return undefined;
  if (['none', 'zxx', ''].includes(language)) return '';
  return ['none', ''].includes(country) ? language : `${language}-${country}`;
}

/** Returns the first name of a list such as `'Liberation Sans', Arial`, without font features (`Linux Libertine G:smcp`). */
function familyName(list: string): string {
  const [, single, double, plain] = /^\s*(?:'([^']*)'|"([^"]*)"|([^,;]*))/.exec(list) ?? [];
  const first = single ?? double ?? plain ?? '';
  return (first.split(/[;:]/)[0] ?? '').trim();
}
