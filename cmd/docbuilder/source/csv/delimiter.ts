import { CsvScanner } from './scanner.ts';

/** Field separators that are looked for, the likelier first. */
const CANDIDATES = [',', ';', '\t', '|'] as const;
type Counts = Record<(typeof CANDIDATES)[number] | 'decimal', number>;

const MAX_RECORDS = 1000;

/**
 * Reads a first line `sep=;`, which names the separator as Excel does; the line is not data.
 * @param text the beginning of the file
 */
export function parseSeparatorLine(text: string): { delimiter: string; length: number } | undefined {
  const [line, delimiter] = /^sep=([^\r\n])(?:\r\n|\r|\n|$)/i.exec(text) ?? [];
  return line !== undefined && delimiter !== undefined ? { delimiter, length: line.length } : undefined;
}

/**
 * Finds the field separator of csv text: the one that splits most records into the same number of fields, and of
 * those the one that makes most fields.
 * @param text the beginning of the file
 * @param complete whether `text` is all of the file; otherwise its last record may be cut and does not count
 * @param fallback the answer if nothing speaks for a separator
 */
export function detectDelimiter(text: string, complete: boolean, fallback: ',' | '\t' = ','): string {
  const named = parseSeparatorLine(text);
  if (named) return named.delimiter;
  const records = countSeparators(text);
  if (!complete && records.length > 1) records.pop();
  let best: { delimiter: string; agreement: number; count: number } = { delimiter: fallback, agreement: 0, count: 0 };
  for (const delimiter of CANDIDATES) {
    const counts = records.map((record) => record[delimiter]);
    const count = mostFrequent(counts);
    if (count === 0) continue;
    const agreement = counts.filter((value) => value === count).length / counts.length;
    // A decimal comma splits numbers as evenly as a separator would.
    const weight = delimiter === ',' ? count - mostFrequent(records.map((record) => record.decimal)) : count;
    if (agreement > best.agreement || (agreement === best.agreement && weight > best.count)) {
      best = { delimiter, agreement, count: weight };
    }
  }
  return best.delimiter;
}

/** Counts each candidate outside quotes, record by record. Empty lines are no records. */
function countSeparators(text: string): Counts[] {
  const records: Counts[] = [];
  const scanner = new CsvScanner(CANDIDATES.join(''));
  let record: Counts | undefined;
  for (let index = 0; index < text.length && records.length <= MAX_RECORDS; index++) {
    const role = scanner.next(text.charCodeAt(index));
    if (role === 'end' || role === 'skip') {
      record = undefined;
      continue;
    }
    if (!record) {
      record = { ',': 0, ';': 0, '\t': 0, '|': 0, decimal: 0 };
      records.push(record);
    }
    if (role !== 'separator') continue;
    record[text.charAt(index) as keyof Counts] += 1;
    if (/^\d,\d$/.test(text.slice(Math.max(0, index - 1), index + 2))) record.decimal += 1;
  }
  return records.slice(0, MAX_RECORDS);
}

function mostFrequent(values: number[]): number {
  const times = new Map<number, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times].sort(([a, x], [b, y]) => y - x || b - a)[0]?.[0] ?? 0;
}
