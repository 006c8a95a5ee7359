import type { ExtractedMeta, ExtractedText } from '../../../src/common/generated/wire.ts';
import type { Family } from '../formats.ts';
import { type MetaOptions, readFacts } from './facts.ts';
import { createFonts } from './fonts.ts';
import { createOutput } from './output.ts';
import { cut, plainText } from './part.ts';
import { readParts } from './read.ts';
import { createStyles } from './styles.ts';

export interface TextOptions {
  /**
   * All text may have this many bytes in UTF-8. It becomes one string, which is shorter than V8's longest at any plan's
   * largest file.
   */
  maxBytes: number;
  /** How often the text stands in what `maxBytes` is the limit of. */
  copies?: number;
  /** Reads no more than this many characters (UTF-16 code units); the rest is left out. */
  maxChars?: number;
  signal?: AbortSignal;
}

/** Reads what the engine made of a document: a flat OpenDocument file. */
export interface Extractor {
  /**
   * @throws {AppError} `file_too_large` {limit_mb, subject: 'output'} over `maxBytes`; `corrupt_source` for what is no
   *   such file; the reason of `signal`
   */
  text(path: string, family: Family, options: TextOptions): Promise<ExtractedText>;
  /** @throws {AppError} `corrupt_source` for what is no such file; the reason of `signal` */
  meta(path: string, family: Family, options: MetaOptions): Promise<ExtractedMeta>;
}

export function createExtractor(): Extractor {
  const fonts = createFonts();
  return {
    async text(path, family, { maxBytes, copies, maxChars = Number.POSITIVE_INFINITY, signal }) {
      const output = createOutput(maxBytes, copies, maxChars);
      const read = await readParts(path, family, { styles: createStyles(), output }, signal);
      const { parts, truncated } = cut(read, maxChars);
      return { family, truncated, text: plainText(parts), parts };
    },
    async meta(path, family, options) {
      const { fonts: names, ...facts } = await readFacts(path, family, options);
      return { ...facts, fonts: await fonts.lookUp(names, options.signal) };
    },
  };
}
