/** Field separators that are looked for, the likelier first. */
const CANDIDATES = [',', ';', '\t', '|'] as const;
type Candidate = (typeof CANDIDATES)[number];

const MAX_RECORDS = 1000;

/**
 * The separator that a first line `sep=;` names, as Excel writes and reads it; the line is not data.
 * @param text the beginning of the file
 */
export function separatorLine(text: string): { delimiter: string; length: number } | undefined {
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
  const named = separatorLine(text);
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

type Counts = Record<Candidate | 'decimal', number>;

/** How often each candidate stands outside quotes, record by record. Empty lines are no records. */
function countSeparators(text: string): Counts[] {
  const records: Counts[] = [];
  let counts = noCounts();
  let length = 0;
  let quoted = false;
  const endRecord = (): void => {
    if (length > 0) records.push(counts);
    counts = noCounts();
    length = 0;
  };
  for (let index = 0; index < text.length && records.length < MAX_RECORDS; index++) {
    const character = text.charAt(index);
    if (quoted) {
      if (character === '"') quoted = false;
    } else if (character === '\n' || character === '\r') {
      endRecord();
    } else {
      // A quote inside a field, as in 5", opens nothing; one right after a closing quote opens it again.
      if (character === '"') quoted = /^[,;\t|"]?$/.test(length === 0 ? '' : text.charAt(index - 1));
      else if (isCandidate(character)) counts[character]++;
      if (character === ',' && isDigit(text[index - 1]) && isDigit(text[index + 1])) counts.decimal++;
      length++;
    }
  }
  endRecord();
  return records;
}

function noCounts(): Counts {
  return { ',': 0, ';': 0, '\t': 0, '|': 0, decimal: 0 };
}

function isCandidate(character: string): character is Candidate {
  return (CANDIDATES as readonly string[]).includes(character);
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

function mostFrequent(values: number[]): number {
  const times = new Map<number, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times].sort(([a, x], [b, y]) => y - x || b - a)[0]?.[0] ?? 0;
}
