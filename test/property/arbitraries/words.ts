import fc from 'fast-check';

/** Stands for a marker until `marked` has numbered them all. */
const PLACE = '\uE000';

/** What people write in documents, and what programs stumble over. */
const WORDS = [
  ...['Tiếng', 'Việt', 'đồng', 'ƯỚC', 'Straße', 'e\u0301a', 'Ελληνικά', 'Привет', '漢字', 'テスト', '한국어'],
  ...['مرحبا', 'שלום', 'ภาษาไทย', 'हिन्दी', '😀', '👩‍🚀', '12,50', '00123', '=SUM(A1)', '№', 'a\u00a0b'],
  ...['&', '<b>', '&amp;', '"trích"', "l'été", ']]>', '<!--', '{{tên}}', '%s', '\\n', 'C:\\tmp', '_x000D_', '50%'],
  ...['٥٠', '$5', '(7%)'],
  'Pneumonoultramicroscopicsilicovolcanoconiosis',
];
const SPACES = [' ', ' ', ' ', '  ', '   ', ''];

export interface TextOptions {
  /** What may stand between words besides spaces. */
  breaks?: readonly string[];
  maxWords?: number;
}

/**
 * Text with one marker in it, a word that no other text of the script has: alone, glued to a word, or at an end.
 * The markers are numbered later, by `marked`.
 */
export function text({ breaks = ['\t', '\n'], maxWords = 5 }: TextOptions = {}): fc.Arbitrary<string> {
  const gap = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...SPACES) }, ...breaks.map((gap) => fc.constant(gap)));
  const word = fc.constantFrom(...WORDS);
  return fc
    .tuple(fc.array(fc.tuple(word, gap), { maxLength: maxWords }), fc.nat(), fc.constantFrom('', '', '', ' '))
    .map(([words, at, end]) => {
      const pieces = words.flat();
      return [...pieces.toSpliced(at % (pieces.length + 1), 0, PLACE), end].join('');
    });
}

/** Text in one line. */
export const line = (maxWords = 3): fc.Arbitrary<string> => text({ breaks: [], maxWords });

/** A value whose markers are numbered in the order in which they stand: `m1e`, `m2e` … */
export function marked<Value>(value: Value): Value {
  let count = 0;
  return JSON.parse(JSON.stringify(value).replaceAll(PLACE, () => `m${++count}e`)) as Value;
}

export const MARKER = /m\d+e/;
