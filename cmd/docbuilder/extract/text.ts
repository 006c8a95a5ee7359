import { open } from 'node:fs/promises';
import { fileTooLarge } from '../../../src/common/errors.ts';
import type { ExtractedText } from '../../../src/common/generated/wire.ts';
import type { Family } from '../formats.ts';
import { readDocument } from './document.ts';
import { plainText } from './flow.ts';
import { createBudget } from './reader.ts';

export interface TextTask {
  /** The flat OpenDocument file that LibreOffice has made of the source. */
  path: string;
  family: Family;
  /** The file that is written; it is there, and empty. */
  target: string;
  format: 'json' | 'txt';
  /** The size of the largest result. */
  maxBytes: number;
}

/**
 * Extracts the text of a document into a file.
 * @throws {AppError} `file_too_large` {limit_mb, subject: 'output'}; `corrupt_source`
 */
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

/** Extracts the text of a document. @param copies how often the text stands in the result that has `maxBytes` at most */
export async function extractText(
  path: string,
  family: Family,
  maxBytes: number,
  copies: number,
): Promise<ExtractedText> {
  const { parts } = await readDocument(path, family, { budget: createBudget(maxBytes, copies) });
  return { family, truncated: false, text: plainText(parts), parts };
}

/** The largest result is longer than one string can be. */
function* jsonPieces({ parts, ...whole }: ExtractedText): Generator<string> {
  yield `${JSON.stringify(whole).slice(0, -1)},"parts":[`;
  for (const [index, part] of parts.entries()) yield (index > 0 ? ',' : '') + JSON.stringify(part);
  yield ']}';
}
