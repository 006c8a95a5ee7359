import type { Family } from '../../domain/formats.ts';
import type { Package } from './package.ts';
import type { Part } from './part.ts';
import { readPresentation } from './presentation.ts';
import type { ReaderOptions } from './reader.ts';
import { readSpreadsheet } from './spreadsheet.ts';
import { readTextDocument } from './text-document.ts';

type Read = (opened: Package, options: ReaderOptions, signal: AbortSignal | undefined) => Promise<Part[]>;

const READERS: Record<Family, Read> = { text: readTextDocument, sheet: readSpreadsheet, slides: readPresentation };

/** The parts of a document of any family. */
export function readParts(
  opened: Package,
  family: Family,
  options: ReaderOptions,
  signal: AbortSignal | undefined,
): Promise<Part[]> {
  return READERS[family](opened, options, signal);
}
