import type { Family } from '../formats.ts';
import type { Part } from './part.ts';
import { readPresentation } from './presentation.ts';
import type { ReaderOptions } from './reader.ts';
import { readSpreadsheet } from './spreadsheet.ts';
import { readTextDocument } from './text-document.ts';
import { parseTwin } from './twin.ts';
import { walk } from './walk.ts';

/** Begins to read a document of a family. */
const READERS = { text: readTextDocument, sheet: readSpreadsheet, slides: readPresentation };

/** The parts of a document of any family. @throws {AppError} as `parseTwin` */
export async function readParts(
  path: string,
  family: Family,
  options: ReaderOptions,
  signal: AbortSignal | undefined,
): Promise<Part[]> {
  const { elements, text, parts } = READERS[family](options);
  const all = { ...options.styles.elements, ...elements };
  await parseTwin(path, walk(all, text, options.output.enough), signal);
  return parts();
}
