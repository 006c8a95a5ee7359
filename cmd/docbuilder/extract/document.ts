import { open } from 'node:fs/promises';
import { fileTooLarge } from '../../../src/common/errors.ts';
import type { ExtractedText } from '../../../src/common/generated/wire.ts';
import type { Family } from '../formats.ts';
import { linesText, type Part, part, plainText } from './flow.ts';
import { frameElements } from './frames.ts';
import { headerElements, noteElements, type PageText, pageParts } from './notes.ts';
import { paragraphElements } from './paragraphs.ts';
import { readPresentation } from './presentation.ts';
import { createBudget, Reader, type ReaderOptions, type Reading } from './reader.ts';
import { type Elements, parseFlat } from './sax.ts';
import { readSpreadsheet } from './spreadsheet.ts';
import { tableElements } from './tables.ts';

const FAMILIES: Record<Family, (reader: Reader) => Reading> = {
  text: readTextDocument,
  sheet: readSpreadsheet,
  slides: readPresentation,
};

/**
 * Reads a flat OpenDocument file.
 * @param properties returns handlers of metadata, which may call those of the text
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

/** Reads a text document: headers, the body with all comments, footnotes, endnotes, footers. */
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

export interface TextTask {
  /** A flat OpenDocument file by LibreOffice. */
  path: string;
  family: Family;
  /** An empty file. */
  target: string;
  format: 'json' | 'txt';
  /** The largest result. */
  maxBytes: number;
}

/** Writes the text of a document. @throws {AppError} `file_too_large` {limit_mb, subject: 'output'}; `corrupt_source` */
export async function writeText({ path, family, target, format, maxBytes }: TextTask): Promise<void> {
  // JSON contains the text whole and in parts.
  const extracted = await extractText(path, family, maxBytes, format === 'json' ? 2 : 1);
  const file = await open(target, 'r+');
  try {
    let bytes = 0;
    for (const piece of format === 'json' ? jsonPieces(extracted) : [extracted.text]) {
      bytes += Buffer.byteLength(piece);
      if (bytes > maxBytes) throw fileTooLarge(maxBytes, { subject: 'output' });
      await file.appendFile(piece);
    }
  } finally {
    await file.close();
  }
}

/** Extracts the text of a document. @param copies how often the result, of `maxBytes` at most, contains it */
export async function extractText(
  path: string,
  family: Family,
  maxBytes: number,
  copies: number,
): Promise<ExtractedText> {
  const { parts } = await readDocument(path, family, { budget: createBudget(maxBytes, copies) });
  return { family, truncated: false, text: plainText(parts), parts };
}

/** Returns a result in pieces, because the largest is longer than a string can be. */
function* jsonPieces({ parts, ...whole }: ExtractedText): Generator<string> {
  yield `${JSON.stringify(whole).slice(0, -1)},"parts":[`;
  for (const [index, part] of parts.entries()) yield (index > 0 ? ',' : '') + JSON.stringify(part);
  yield ']}';
}
