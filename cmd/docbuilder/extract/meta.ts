import type { ExtractedMeta } from '../../../src/common/generated/wire.ts';
import { parseTwin } from './twin.ts';
import { type Elements, SKIP, walk } from './walk.ts';

/** What a document says about itself (ODF 1.3 part 3, section 4.3). */
export interface MetaPart {
  facts: Pick<
    ExtractedMeta,
    | 'title'
    | 'subject'
    | 'author'
    | 'last_author'
    | 'keywords'
    | 'description'
    | 'created_at'
    | 'modified_at'
    | 'printed_at'
  >;
  /** Explicitly set. */
  language: string | undefined;
  /** Counts of text documents. */
  statistics: { pages: number | null; words: number | null; characters: number | null; paragraphs: number | null };
}

/** More of a property than this is not kept. */
const MAX_VALUE = 32 * 1024;
const MAX_KEYWORDS = 1000;

/**
 * Reads the metadata at the beginning of a flat file; everything is null in one that has none.
 * @param offset of times that have none there, such as `Z`
 */
export async function readMetaPart(path: string, offset: string, signal: AbortSignal | undefined): Promise<MetaPart> {
  const values = new Map<string, string[]>();
  const statistics: MetaPart['statistics'] = { pages: null, words: null, characters: null, paragraphs: null };
  let current: string | undefined;
  let state: 'before' | 'inside' | 'after' = 'before';
  const elements: Elements = {
    // An embedded object has metadata of its own, further down.
    'office:meta': () => {
      if (state === 'after') return SKIP;
      state = 'inside';
      return () => {
        state = 'after';
      };
    },
    'meta:document-statistic': (attributes) => {
      const count = (name: string) => {
        const value = attributes[`meta:${name}-count`];
        return value === undefined || !/^\d{1,15}$/.test(value) ? null : Number(value);
      };
      statistics.pages = count('page');
      statistics.words = count('word');
      statistics.characters = count('character');
      statistics.paragraphs = count('paragraph');
      return undefined;
    },
  };
  for (const name of PROPERTIES) {
    elements[name] = () => {
      if (state !== 'inside') return undefined;
      current = '';
      return () => {
        const value = current?.trim();
        const list = values.get(name) ?? [];
        if (value && list.length < MAX_KEYWORDS) values.set(name, [...list, value]);
        current = undefined;
      };
    };
  }
  const text = (content: string) => {
    if (current !== undefined) current = (current + content).slice(0, MAX_VALUE);
  };
  await parseTwin(
    path,
    walk(elements, text, () => state === 'after'),
    signal,
  );

  const first = (name: (typeof PROPERTIES)[number]): string | null => values.get(name)?.[0] ?? null;
  return {
    facts: {
      title: first('dc:title'),
      subject: first('dc:subject'),
      // The one who saved it first and last is written once only.
      author: first('meta:initial-creator') ?? first('dc:creator'),
      last_author: first('dc:creator'),
      keywords: values.get('meta:keyword') ?? [],
      description: first('dc:description'),
      created_at: time(first('meta:creation-date'), offset),
      modified_at: time(first('dc:date'), offset),
      printed_at: time(first('meta:print-date'), offset),
    },
    language: first('dc:language') ?? undefined,
    statistics,
  };
}

const PROPERTIES = [
  'dc:title',
  'dc:subject',
  'dc:description',
  'dc:creator',
  'dc:date',
  'dc:language',
  'meta:initial-creator',
  'meta:keyword',
  'meta:creation-date',
  'meta:print-date',
] as const;

/** ISO 8601 to the second, with its offset or else the usual one; null for what is none, or LibreOffice's day zero. */
function time(value: string | null, usual: string): string | null {
  const [, local, offset = usual] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(value ?? '') ?? [];
  return local === undefined || /^(0000|1899-12-30)/.test(local) ? null : `${local}${offset}`;
}
