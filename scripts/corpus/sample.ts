import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Comparison, ENOUGH_WORDS } from './compare.ts';
import { findDifferences } from './differences.ts';
import { shuffled } from './documents.ts';
import { ONCE_FAILED } from './once-failed.ts';

/** The expected result of a document: so many pages, or a refusal. */
export type Expectation = { path: string; pages: number } | { path: string; code: string; reason: string };

/** The sample that is part of the tests. */
export interface Sample {
  /** LibreOffice's version: another one makes other pages. */
  office: string;
  documents: Expectation[];
}

const SIZE = 150;
/** Slower ones would take too long in every run of the tests. */
const SLOWEST_MS = 2000;

/** Documents that must be in the sample, by what is in their path, and how many of them. */
const SUBJECTS: [subject: RegExp, files: number][] = [
  [/comment|annotation/i, 8],
  [/redline|track|insert-?delete|_chang/i, 8],
  [/chart/i, 8],
  [/smartart/i, 6],
  [/activex|checkbox|form_?(field|control)|sdt|dropdown/i, 8],
  [/\/(CVE|EDB)-/, 6],
  [/footnote|endnote/i, 4],
  [/pivot/i, 4],
  [/table/i, 4],
  [/\.(doc|xls|ppt)$/, 12],
];
const OF_EXTENSION = 2;
const OF_REFUSAL = 3;

/** Draws the sample from a whole run: documents with which service and command agree, and refused ones. */
export function drawSample(comparisons: readonly Comparison[], office: string, file: string): void {
  const byDocument = new Map(comparisons.map((one) => [one.document, one]));
  const inOrder = shuffled([...byDocument.keys()]).flatMap((document) => byDocument.get(document) ?? []);
  const good = inOrder.filter(isGood);
  const refused = inOrder.filter(({ command, ours }) => command.outcome === 'none' && isRefused(ours.convert.status));
  const drawn = new Set<Comparison>();
  const draw = (from: readonly Comparison[], count: number) => {
    for (const one of from.filter((candidate) => !drawn.has(candidate)).slice(0, count)) drawn.add(one);
  };
  draw(
    inOrder.filter((one) => ONCE_FAILED.includes(one.document.path) && (isGood(one) || refused.includes(one))),
    SIZE,
  );
  for (const extension of new Set(good.map(({ document }) => document.extension))) {
    draw(
      good.filter(({ document }) => document.extension === extension),
      OF_EXTENSION,
    );
  }
  for (const refusal of new Set(refused.map(nameRefusal))) {
    draw(
      refused.filter((one) => nameRefusal(one) === refusal),
      OF_REFUSAL,
    );
  }
  for (const [subject, files] of SUBJECTS)
    draw(
      good.filter(({ document }) => subject.test(document.path)),
      files,
    );
  draw(good, SIZE - drawn.size);
  const expectations = [...drawn].map(toExpectation).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ office, documents: expectations } satisfies Sample, null, 2)}\n`);
  console.log(`${expectations.length} documents in ${file}`);
}

function isGood(one: Comparison): boolean {
  const { convert, text } = one.ours;
  const enough = one.found >= one.words * ENOUGH_WORDS && one.words > 0;
  return convert.status === 200 && enough && findDifferences(one).length === 0 && convert.ms + text.ms < 2 * SLOWEST_MS;
}

function isRefused(status: number): boolean {
  return status >= 400 && status < 500;
}

function nameRefusal({ document, ours: { convert } }: Comparison): string {
  return `${document.family} ${convert.code} ${convert.reason}`;
}

function toExpectation({ document: { path }, ours: { convert } }: Comparison): Expectation {
  if (convert.status === 200) return { path, pages: convert.pages ?? 0 };
  return { path, code: convert.code ?? '', reason: convert.reason ?? '' };
}
