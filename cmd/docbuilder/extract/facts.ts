import type { ExtractedMeta } from '../../../src/common/generated/wire.ts';
import type { Family } from '../formats.ts';
import type { SourceFacts } from './extract.ts';
import { type MetaPart, readMetaPart } from './meta.ts';
import { type Origin, readOrigin } from './origin.ts';
import { countOnly } from './output.ts';
import { readParts } from './read.ts';
import { createStyles } from './styles.ts';
import { createUsage, type FontUse, wordsOf } from './usage.ts';

export type Facts = Omit<ExtractedMeta, 'fonts'> & { fonts: FontUse[] };

export interface MetaOptions {
  /** What is known of the file that was sent. */
  facts: SourceFacts;
  /** Its path: it is looked into for the program that wrote it, unless it is encrypted. Without, `generator` is null. */
  source?: string;
  signal?: AbortSignal;
}

/** Formats whose times are in UTC (OPC, MS-OLEPS). The engine keeps the time and forgets that; those of others are local. */
const OFFICE = /^(?:do[ct]|xl[st]|p[op][ts])[mx]?$/;

/** Everything about a document that stands in it; fonts are the names that its text asks for. */
export async function readFacts(path: string, family: Family, options: MetaOptions): Promise<Facts> {
  const { source, signal } = options;
  const { format, size, encrypted, macros, pages } = options.facts;
  const isReadable = !encrypted && source !== undefined;
  const origin: Origin = isReadable ? await readOrigin(source, format, signal) : { generator: null };
  const told = await readMetaPart(path, OFFICE.test(format) ? 'Z' : '', signal);
  const { statistics } = told;
  const counted = await count(path, family, signal);
  return {
    format,
    family,
    size,
    encrypted,
    macros,
    generator: origin.generator,
    ...completed(told.facts, origin),
    language: told.language ?? languageOf(family, format, counted.language),
    pages: family === 'text' ? pages || statistics.pages : null,
    words: family === 'sheet' ? null : (statistics.words ?? counted.words),
    characters: family === 'sheet' ? null : (statistics.characters ?? counted.characters),
    paragraphs: family === 'sheet' ? null : (statistics.paragraphs ?? counted.paragraphs),
    sheets: family === 'sheet' ? counted.parts : null,
    slides: family === 'slides' ? counted.parts : null,
    tables: family === 'sheet' ? null : counted.tables,
    images: counted.images,
    fonts: counted.fonts,
  };
}

/** What the engine has read, and where it has read nothing what stands in the source: Excel 95's titles, for example. */
function completed(facts: MetaPart['facts'], { generator: _, ...origin }: Origin): MetaPart['facts'] {
  const read = Object.entries(facts).filter(([, value]) => value !== null && value.length > 0);
  return { ...facts, ...origin, ...Object.fromEntries(read) };
}

/** Workbooks have no language; what the engine's has then is the engine's own. */
function languageOf(family: Family, format: string, language: string | undefined): string | null {
  return family === 'sheet' && !/^f?o[dt]s$/.test(format) ? null : (language ?? null);
}

/** Walks through the whole document once. */
async function count(path: string, family: Family, signal: AbortSignal | undefined) {
  const usage = createUsage();
  const counted = { words: 0, characters: 0, paragraphs: 0, tables: 0, images: 0 };
  const styles = createStyles();
  const parts = await readParts(
    path,
    family,
    {
      styles,
      output: countOnly(),
      onText: usage.add,
      onParagraph: (line) => {
        if (family === 'sheet') return;
        counted.paragraphs += 1;
        counted.words += wordsOf(line);
        counted.characters += line.trim().length;
      },
      onTable: () => {
        counted.tables += 1;
      },
      onImage: () => {
        counted.images += 1;
      },
    },
    signal,
  );
  const ofFamily = parts.filter(({ kind }) => kind === 'sheet' || kind === 'slide').length;
  return { ...counted, parts: ofFamily, fonts: usage.fonts(), language: usage.language() };
}
