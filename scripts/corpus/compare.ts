import type { Family } from '../../cmd/docbuilder/formats.ts';
import type { CommandRecord, CommandResults } from './command.ts';
import type { CorpusDocument } from './documents.ts';
import type { OurRecord, OurResults } from './ours.ts';

/** A document beside what was made of it. */
export interface Comparison {
  document: CorpusDocument;
  command: CommandRecord;
  ours: OurRecord;
  /** True if both PDFs have the same text. */
  sameText: boolean;
  /** Words of the service's PDF, and those of them that are in the extracted text. */
  words: number;
  found: number;
  /** The first words that are in one of the PDFs only, and that are not in the extracted text; for those who look. */
  example: { text: string; missing: string };
}

/** Less than this share of a document's words in the extracted text is a difference. */
export const ENOUGH_WORDS = 0.99;
const EXAMPLE_LETTERS = 60;

/** Everything that both have a result for. */
export async function compareAll(
  documents: readonly CorpusDocument[],
  command: CommandResults,
  ours: OurResults,
): Promise<Comparison[]> {
  const comparisons = await Promise.all(documents.map((document) => compareOne(document, command, ours)));
  return comparisons.filter((comparison) => comparison !== undefined);
}

async function compareOne(
  document: CorpusDocument,
  results: CommandResults,
  ourResults: OurResults,
): Promise<Comparison | undefined> {
  const [command, ours] = [results.of(document), ourResults.of(document)];
  if (!command || !ours) return undefined;
  const [text, { pdf, extracted }] = [await results.readText(document), await ourResults.readTexts(document)];
  const words = splitWords(pdf, document.family);
  const missing = ours.text.status === 200 ? missingWords(words, extracted) : words;
  return {
    ...{ document, command, ours },
    sameText: text === pdf,
    words: words.length,
    found: words.length - missing.length,
    example: { text: firstDifference(text, pdf), missing: missing.slice(0, 8).join(' ').slice(0, EXAMPLE_LETTERS) },
  };
}

/**
 * Words as they are looked for: two or more letters in a row, in sheets also digits. Marks, leaders and numbers of lists
 * and notes, which stand close to words on paper, are not part of the text that is extracted; nor is the footer "Page 1"
 * that Calc gives to sheets without one.
 */
export function splitWords(text: string, family: Family): string[] {
  if (family !== 'sheet') return text.match(/[\p{L}\p{M}]{2,}/gu) ?? [];
  return (text.match(/\p{N}[\p{N}.,]*\p{N}|[\p{L}\p{M}]{2,}/gu) ?? []).filter((word) => word !== 'Page');
}

/**
 * Words that are nowhere in the text. White space does not count, since a PDF breaks words at the end of a line, nor do
 * capitals, which may be a matter of looks, nor the last digit of a fraction: a sheet on paper shows as many digits as
 * its column is wide. Hyphens and brackets between letters do not count either: pdftotext joins what a hyphen at the end
 * of a line parts, and the marks of notes, in brackets in the text, stand close to words on paper. Signs that join or part letters without
 * a shape of their own (zero width non-joiners) are not in a PDF.
 */
export function missingWords(words: readonly string[], text: string): string[] {
  const letters = text.replace(/\s/g, '').replace(BETWEEN_LETTERS, '').toLowerCase();
  const known = new Map<string, boolean>();
  return words.filter((word) => {
    const wanted = /^\d+[.,]\d+$/.test(word) ? word.slice(0, -1) : word.toLowerCase();
    const found = known.get(word) ?? letters.includes(wanted);
    known.set(word, found);
    return !found;
  });
}

const BETWEEN_LETTERS = /(?<=[\p{L}\p{M}])[\p{Pd}\p{Cf}[\]]+(?=[\p{L}\p{M}])/gu;

function firstDifference(a: string, b: string): string {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  if (start === a.length && start === b.length) return '';
  const from = Math.max(0, start - 10);
  const piece = (text: string) => text.slice(from, from + EXAMPLE_LETTERS);
  return `${piece(a)} | ${piece(b)}`;
}
