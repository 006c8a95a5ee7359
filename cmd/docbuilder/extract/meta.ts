import type { ExtractedMeta } from '../../../src/common/generated/wire.ts';
import type { Family, SourceFormat } from '../formats.ts';
import { readDocument } from './document.ts';
import type { FontUse } from './fonts.ts';
import { ONCE, type Reader } from './reader.ts';
import { type Attributes, type Elements, type Open, SKIP } from './sax.ts';
import { readSourceProperties, type SourceProperties } from './source-properties.ts';
import { SCRIPTS, type Script, type TextStyle } from './styles.ts';

export interface MetaTask {
  /** A flat OpenDocument file by LibreOffice. */
  path: string;
  family: Family;
  /** The source file, of which properties are read that LibreOffice loses. */
  source: string;
  /** Facts from inspection; `pages` are pages of a text document, sheets or slides, as LibreOffice counts them. */
  facts: { format: SourceFormat; encrypted: boolean; macros: boolean; size: number; pages: number };
}

/** Metadata before fonts are looked up. */
export type Facts = Omit<ExtractedMeta, 'fonts'> & { fonts: FontUse[] };

/** Longer values and more keywords are cut off. */
const MAX_VALUE = 32 * 1024;
const MAX_KEYWORDS = 1000;

/** Formats whose times are in UTC (OPC, MS-OLEPS), which LibreOffice does not write. Others have local times. */
const OFFICE = /^(?:do[ct]|xl[st]|p[op][ts])[mx]?$/;

/** Reads the metadata of a document. @throws {AppError} `corrupt_source` */
export async function readMeta({ path, family, source, facts }: MetaTask): Promise<Facts> {
  const { format, size, encrypted, macros, pages } = facts;
  const own: Partial<SourceProperties> = encrypted ? {} : await readSourceProperties(source, format);
  const usage = new Usage();
  const values: Values = { texts: new Map(), statistics: {} };
  const { parts, reader } = await readDocument(
    path,
    family,
    { budget: ONCE, onText: (text, style) => usage.add(text, style) },
    (started, text) => metaElements(started, text, values),
  );
  const isSheet = family === 'sheet';
  // Other workbooks have no language, and LibreOffice gives them its own.
  const hasLanguage = !isSheet || /^f?o[dt]s$/.test(format);
  const lines = parts.flatMap(({ text, notes }) => [...text.split('\n'), ...notes.split('\n')].filter(Boolean));
  const sum = (count: (line: string) => number) => lines.reduce((total, line) => total + count(line), 0);
  const counted = (kind: string) => parts.filter((part) => part.kind === kind).length;
  const statistic = (name: string) => {
    const value = values.statistics[`meta:${name}-count`] ?? '';
    return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  };
  return {
    ...{ format, family, size, encrypted, macros, generator: own.generator ?? null },
    ...properties(values, own, format),
    language: values.texts.get('dc:language')?.[0] ?? (hasLanguage ? (usage.language() ?? null) : null),
    pages: family === 'text' ? pages || (statistic('page') ?? null) : null,
    words: isSheet ? null : (statistic('word') ?? sum(countWords)),
    characters: isSheet ? null : (statistic('character') ?? sum((line) => line.trim().length)),
    paragraphs: isSheet ? null : (statistic('paragraph') ?? lines.length),
    sheets: isSheet ? counted('sheet') : null,
    slides: family === 'slides' ? counted('slide') : null,
    tables: isSheet ? null : reader.tables,
    images: reader.images,
    fonts: usage.fonts(),
  };
}

/** The metadata of a flat file (ODF 1.3 part 3, section 4.3). */
interface Values {
  texts: Map<string, string[]>;
  statistics: Attributes;
}

const PROPERTIES = [
  ...['dc:title', 'dc:subject', 'dc:description', 'dc:creator', 'dc:date', 'dc:language', 'meta:initial-creator'],
  ...['meta:keyword', 'meta:creation-date', 'meta:print-date'],
];

/** Returns handlers of the first `office:meta`; others are of embedded objects. A comment also has a creator. */
function metaElements(reader: Reader, text: Elements, values: Values): Elements {
  const { texts } = values;
  let state: 'before' | 'inside' | 'after' = 'before';
  const property = (name: string): [string, Open] => {
    const keep = reader.capture((value) => {
      const list = texts.get(name) ?? [];
      if (value.trim() && list.length < MAX_KEYWORDS) texts.set(name, [...list, value.trim().slice(0, MAX_VALUE)]);
    });
    return [name, (attributes) => (state === 'inside' ? keep : text[name])?.(attributes)];
  };
  return {
    ...Object.fromEntries(PROPERTIES.map(property)),
    'office:meta': () => {
      if (state === 'after') return SKIP;
      state = 'inside';
      return () => {
        state = 'after';
      };
    },
    'meta:document-statistic': (attributes) => {
      if (state === 'inside') values.statistics = attributes;
    },
  };
}

/** Returns properties by LibreOffice, or else by the source. */
function properties({ texts }: Values, own: Partial<SourceProperties>, format: SourceFormat) {
  const offset = OFFICE.test(format) ? 'Z' : '';
  const first = (name: string): string | null => texts.get(name)?.[0] ?? null;
  const keywords = texts.get('meta:keyword') ?? [];
  return {
    title: first('dc:title') ?? own.title ?? null,
    subject: first('dc:subject') ?? own.subject ?? null,
    author: first('meta:initial-creator') ?? own.author ?? null,
    last_author: first('dc:creator') ?? own.last_author ?? null,
    keywords: keywords.length > 0 ? keywords : (own.keywords ?? []),
    description: first('dc:description') ?? own.description ?? null,
    created_at: time(first('meta:creation-date'), offset) ?? own.created_at ?? null,
    modified_at: time(first('dc:date'), offset) ?? own.modified_at ?? null,
    // LibreOffice reads a local time from a doc.
    printed_at: own.printed_at ?? (format === 'doc' ? null : time(first('meta:print-date'), offset)),
  };
}

/** Returns a time in ISO 8601 to the second; null if it is invalid or day zero of LibreOffice or Windows. */
function time(value: string | null, usual: string): string | null {
  const [, local, offset = usual] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(value ?? '') ?? [];
  return local === undefined || /^(0000|1601-01-01|1899-12-30)/.test(local) ? null : `${local}${offset}`;
}

/** Counts the fonts and languages of the text of a document. */
class Usage {
  readonly #fonts = new Map<string, number>();
  readonly #languages = new Map<string, number>();
  readonly #samples = new Map<string, string>();

  add(text: string, style: TextStyle): void {
    const counts = countCharacters(text);
    for (const script of SCRIPTS) {
      const { [script]: font } = style.fonts;
      if (counts[script] === 0) continue;
      count(this.#fonts, font, counts[script]);
      count(this.#languages, style.languages[script], counts[script]);
      if (!font) continue;
      if (script === 'western') this.#samples.set(font, '');
      else if (!this.#samples.has(font)) this.#samples.set(font, text.match(PATTERNS[script])?.[0] ?? '');
    }
  }

  /** Returns the fonts, the most used one first. */
  fonts(): FontUse[] {
    return byUse(this.#fonts).map((name) => ({ name, sample: this.#samples.get(name) ?? '' }));
  }

  /** Returns the language of most of the text. */
  language(): string | undefined {
    return byUse(this.#languages)[0];
  }
}

function count(map: Map<string, number>, key: string | undefined, more: number): void {
  if (key) map.set(key, (map.get(key) ?? 0) + more);
}

function byUse(map: ReadonlyMap<string, number>): string[] {
  return [...map].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

const PATTERNS = {
  /** Han, Kana, Hangul, Bopomofo and Yi with punctuation and wide forms. */
  asian:
    /[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{1f200}-\u{1f2ff}\u{20000}-\u{3ffff}]/gu,
  /** From Hebrew to Myanmar, Khmer, Mongolian, presentation forms. */
  complex: /[\u0590-\u109f\u1780-\u18af\u1a20-\u1aaf\ua880-\ua8ff\uaa00-\uaa7f\ufb1d-\ufdff\ufe70-\ufefe]/g,
};

/** Counts characters other than spaces by script. */
function countCharacters(text: string): Record<Script, number> {
  const [asian, complex] = [countMatches(text, PATTERNS.asian), countMatches(text, PATTERNS.complex)];
  return { western: Math.max(0, countMatches(text, /\S/gu) - asian - complex), asian, complex };
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Counts words as a word processor does: by spaces, and each Han or Kana character. */
function countWords(text: string): number {
  return countMatches(text, /[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+/g);
}
