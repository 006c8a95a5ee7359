import type { Save } from '../../../src/common/generated/script.ts';
import { KNOWN_LOSSES, type Loss } from './known-losses.ts';

type Format = Save['format'];

/** Collects what was declared and not found again in one file, by JSON Pointer. */
export interface Report {
  readonly format: Format;
  /** How many declared things were looked for. */
  readonly checked: number;
  readonly missing: readonly string[];
  /** Known losses that were met. */
  readonly losses: ReadonlySet<Loss>;
  /** One declared thing. Numbers may differ by `tolerance`; colours in case. */
  same(pointer: string, expected: unknown, actual: unknown, tolerance?: number): void;
  /** As `same`, for a thing that is said in another way than by a value. */
  holds(pointer: string, ok: boolean, message: string): void;
}

export function createReport(format: Format): Report {
  const missing: string[] = [];
  const losses = new Set<Loss>();
  let checked = 0;

  function holds(pointer: string, ok: boolean, message: string): void {
    checked++;
    if (ok) return;
    const line = `${format} ${pointer}: ${message}`;
    const loss = KNOWN_LOSSES.find(
      ({ formats, where }) => formats.includes(format) && where.test(`${pointer}: ${message}`),
    );
    if (loss) losses.add(loss);
    else missing.push(line);
  }

  return {
    format,
    missing,
    losses,
    holds,
    get checked() {
      return checked;
    },
    same: (pointer, expected, actual, tolerance = 0) =>
      holds(pointer, equal(expected, actual, tolerance), `should be ${shown(expected)}, is ${shown(actual)}`),
  };
}

function equal(expected: unknown, actual: unknown, tolerance: number): boolean {
  if (typeof expected === 'number' && typeof actual === 'number') return Math.abs(expected - actual) <= tolerance;
  if (isColor(expected) && isColor(actual)) return expected.toUpperCase() === actual.toUpperCase();
  return expected === actual;
}

function isColor(value: unknown): value is string {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'missing';
}
