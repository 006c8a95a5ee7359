import type { Attributes, Elements, Open } from './sax.ts';

/** A style has text properties for each of these (ODF 1.3 part 3, section 20.195). */
export const SCRIPTS = ['western', 'asian', 'complex'] as const;
export type Script = (typeof SCRIPTS)[number];

export interface TextStyle {
  readonly fonts: Readonly<Partial<Record<Script, string>>>;
  /** BCP 47 tags. */
  readonly languages: Readonly<Partial<Record<Script, string>>>;
  readonly hidden?: boolean;
}

interface Style {
  parent: string | undefined;
  text: TextStyle;
  /** False for a hidden sheet or slide. */
  visible: boolean;
  /** A slide shows the footer of its master page. */
  footer: boolean;
  masterPage: string | undefined;
  /** Headings are numbered; undefined if the parent decides. */
  numbered: boolean | undefined;
}

/** A longer chain of parents is a circle. */
const MAX_PARENTS = 64;
/** The name of the headings' list style; no other has an empty name. */
const HEADINGS = '';
const PLAIN: TextStyle = { fonts: {}, languages: {} };

/** The styles of a document and their inheritance (ODF 1.3 part 3, section 16.2). */
export class Styles {
  readonly #styles = new Map<string, Style>();
  readonly #lists = new Map<string, Levels>();
  /** Text properties with those of the parents. */
  readonly #inherited = new Map<string, TextStyle>();
  readonly #fonts = new Map<string, string>();
  /** The style and the list style that are being read. A list style may be inside a style. */
  #current: Style | undefined;
  #levels: Levels | undefined;

  /** Returns the default style of a family. */
  base(family: string): TextStyle {
    return this.#styles.get(family)?.text ?? PLAIN;
  }

  /** Returns the style of text with a style's name inside text of another style. */
  apply(around: TextStyle, family: string, name: string | undefined): TextStyle {
    if (name === undefined) return around;
    const key = `${family} ${name}`;
    const known = this.#inherited.get(key);
    const own = known ?? this.#chain(family, name).reduceRight((under, { text }) => merge(under, text), PLAIN);
    if (!known) this.#inherited.set(key, own);
    return merge(around, own);
  }

  get(family: string, name: string | undefined): Style | undefined {
    return this.#styles.get(`${family} ${name}`);
  }

  /** Returns whether headings with a style are numbered. */
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
    for (let style = this.get(family, name); style && chain.length < MAX_PARENTS; ) {
      chain.push(style);
      style = style.parent === undefined ? undefined : this.get(family, style.parent);
    }
    return chain;
  }

  /** Returns handlers that collect the styles of a document. */
  elements(): Elements {
    const level: Open = (attributes) => {
      if (this.#levels) addLevel(this.#levels, attributes);
    };
    const set = (value: (attributes: Attributes) => Partial<Style>): Open => {
      return (attributes) => {
        Object.assign(this.#current ?? {}, value(attributes));
      };
    };
    return {
      'style:font-face': (attributes) => {
        this.#fonts.set(attributes['style:name'] ?? '', familyName(attributes['svg:font-family'] ?? ''));
      },
      'style:default-style': (attributes) => this.#openStyle(`${attributes['style:family']}`, attributes),
      'style:style': (attributes) =>
        this.#openStyle(`${attributes['style:family']} ${attributes['style:name']}`, attributes),
      'style:text-properties': set((attributes) => ({ text: textProperties(attributes, this.#fonts) })),
      'style:table-properties': set(({ 'table:display': display }) => ({ visible: display !== 'false' })),
      'style:drawing-page-properties': set((attributes) => ({
        visible: attributes['presentation:visibility'] !== 'hidden',
        footer: attributes['presentation:display-footer'] === 'true',
      })),
      'text:list-style': (attributes) => this.#openList(attributes['style:name'] ?? ''),
      'text:outline-style': () => this.#openList(HEADINGS),
      'text:list-level-style-number': level,
      'text:outline-level-style': level,
    };
  }

  #openStyle(key: string, attributes: Attributes): ReturnType<Open> {
    const { 'style:parent-style-name': parent, 'style:master-page-name': masterPage } = attributes;
    const style = { parent, text: PLAIN, visible: true, footer: false, masterPage, numbered: isNumbered(attributes) };
    this.#styles.set(key, style);
    this.#current = style;
    return () => {
      this.#current = undefined;
      this.#inherited.clear();
    };
  }

  /** Text properties in a list style are those of its labels, and not of the style around. */
  #openList(name: string): ReturnType<Open> {
    const around = this.#current;
    this.#current = undefined;
    this.#levels = new Map();
    this.#lists.set(name, this.#levels);
    return () => {
      this.#current = around;
      this.#levels = undefined;
    };
  }
}

/** LibreOffice writes an empty name for no list, and none for the list of headings, to which a style with a level belongs. */
function isNumbered(attributes: Attributes): boolean | undefined {
  const list = attributes['style:list-style-name'];
  if (list !== undefined) return list !== '';
  return attributes['style:default-outline-level'] ? true : undefined;
}

function merge(under: TextStyle, over: TextStyle): TextStyle {
  if (over === PLAIN) return under;
  const hidden = over.hidden ?? under.hidden;
  return {
    fonts: { ...under.fonts, ...over.fonts },
    languages: { ...under.languages, ...over.languages },
    ...(hidden !== undefined && { hidden }),
  };
}

function textProperties(attributes: Attributes, families: ReadonlyMap<string, string>): TextStyle {
  const fonts: Partial<Record<Script, string>> = {};
  const languages: Partial<Record<Script, string>> = {};
  for (const script of SCRIPTS) {
    const [prefix, suffix] = script === 'western' ? ['fo', ''] : ['style', `-${script}`];
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

/** Returns a BCP 47 tag, which is empty for text in no language. */
function languageTag(language: string | undefined, country = 'none'): string | undefined {
  if (language === undefined) return undefined;
  if (['none', 'zxx', ''].includes(language)) return '';
  return ['none', ''].includes(country) ? language : `${language}-${country}`;
}

/** Returns the first family of a list such as `'Liberation Sans', Arial`, without font features (`Linux Libertine G:smcp`). */
function familyName(list: string): string {
  const [, single, double, plain] = /^\s*(?:'([^']*)'|"([^"]*)"|([^,;]*))/.exec(list) ?? [];
  const first = single ?? double ?? plain ?? '';
  return (first.split(/[;:]/)[0] ?? '').trim();
}

/** The numbering of one level of a list (ODF 1.3 part 3, section 16.29). */
interface Level {
  /** Empty for a level without numbers, such as one with bullets. */
  format: string;
  start: number;
  /** The label with levels for their numbers, such as `%1%.%2%)`. */
  pattern: string;
}

type Levels = Map<number, Level>;

const MAX_LEVEL = 10;
/** Higher numbers are written in digits: a Roman million has a thousand letters. */
const MAX_SPELT = 3999;

/** Adds a level to a list style. LibreOffice writes the pattern in text documents only. */
function addLevel(levels: Levels, attributes: Attributes): void {
  const level = Number(attributes['text:level']);
  const { 'style:num-prefix': prefix = '', 'style:num-suffix': suffix = '' } = attributes;
  levels.set(level, {
    format: attributes['style:num-format'] ?? '',
    start: Number(attributes['text:start-value'] ?? 1) || 0,
    pattern: attributes['loext:num-list-format'] ?? `${prefix}%${level}%${suffix}`,
  });
}

/** Counts the items of a list, for labels that LibreOffice does not write. */
export class ListCounter {
  readonly #levels: Levels;
  readonly #numbers: number[] = [];

  constructor(levels: Levels) {
    this.#levels = levels;
  }

  /** Counts an item. @returns its label; empty if it has none */
  next(at: number, start?: number): string {
    const level = this.#levels.get(at);
    if (!(at >= 1 && at <= MAX_LEVEL)) return '';
    this.#numbers[at] = start ?? (this.#numbers[at] === undefined ? this.#number(at) : this.#numbers[at] + 1);
    this.#numbers.length = at + 1;
    const spelt = (from: number) => spell(this.#number(from), this.#levels.get(from));
    return level?.pattern.replace(/%(\d+)%/g, (_, from) => spelt(Number(from))) ?? '';
  }

  #number(at: number): number {
    return this.#numbers[at] ?? this.#levels.get(at)?.start ?? 1;
  }
}

/** Returns a number in a format of ODF 1.3 part 3, section 19.500, and in digits if the format is unknown. */
function spell(number: number, level: Level | undefined): string {
  const format = level?.format ?? '';
  if (format === '') return '';
  if (number < 1 || number > MAX_SPELT || !/^[aAiI]$/.test(format)) return String(number);
  const text = /[iI]/.test(format) ? toRoman(number) : toLetters(number);
  return format === format.toLowerCase() ? text.toLowerCase() : text;
}

/** Returns a number from 1 in letters, as columns have them: AA follows Z, then AB. */
export function toLetters(number: number): string {
  let letters = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

const ROMAN = 'M CM D CD C XC L XL X IX V IV I'.split(' ');
const ROMAN_VALUES = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];

function toRoman(number: number): string {
  let rest = number;
  let text = '';
  for (const [index, value] of ROMAN_VALUES.entries()) {
    for (; rest >= value; rest -= value) text += ROMAN[index];
  }
  return text;
}
