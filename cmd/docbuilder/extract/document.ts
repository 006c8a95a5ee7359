import type { Family } from '../formats.ts';
import { linesText, type Part, part } from './flow.ts';
import { frameElements } from './frames.ts';
import { headerElements, noteElements, type PageText, pageParts } from './notes.ts';
import { paragraphElements } from './paragraphs.ts';
import { readPresentation } from './presentation.ts';
import { Reader, type ReaderOptions, type Reading } from './reader.ts';
import { type Elements, parseFlat } from './sax.ts';
import { readSpreadsheet } from './spreadsheet.ts';
import { tableElements } from './tables.ts';

const FAMILIES: Record<Family, (reader: Reader) => Reading> = {
  text: readTextDocument,
  sheet: readSpreadsheet,
  slides: readPresentation,
};

/**
 * Reads a flat OpenDocument file of any family.
 * @param properties handlers that read what the document says about itself, given those of the text
 * @throws {AppError} `corrupt_source`; `file_too_large` over the budget
 */
export async function readDocument(
  path: string,
  family: Family,
  options: ReaderOptions,
  properties: (reader: Reader, text: Elements) => Elements = () => ({}),
): Promise<{ parts: Part[]; reader: Reader }> {
  const reader = new Reader(family, options);
  const { elements, parts } = FAMILIES[family](reader);
  const text = {
    ...reader.styles.elements(),
    ...paragraphElements(reader),
    ...noteElements(reader),
    ...frameElements(reader),
    ...elements,
  };
  await parseFlat(path, { ...text, ...properties(reader, text) }, (characters) => reader.addText(characters));
  return { parts: parts(), reader };
}

/**
 * Reads a text document: headers, the body, footnotes and endnotes, footers. Comments belong to the body, wherever they
 * are anchored.
 */
function readTextDocument(reader: Reader): Reading {
  const pages: PageText[] = [];
  return {
    elements: { ...tableElements(reader), ...headerElements(reader, pages) },
    parts: () => [
      ...pageParts(pages, 'header'),
      part('body', linesText(reader.flow.lines), { comments: reader.comments }),
      ...noteParts('footnotes', reader.footnotes),
      ...noteParts('endnotes', reader.endnotes),
      ...pageParts(pages, 'footer'),
    ],
  };
}

function noteParts(kind: 'footnotes' | 'endnotes', notes: readonly string[]): Part[] {
  return notes.length > 0 ? [part(kind, notes.join('\n'))] : [];
}
