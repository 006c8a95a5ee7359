import type { Inline, Run } from '../../../src/common/generated/script.ts';
import type { RunFacts } from '../support/facts.ts';
import type { Report } from '../support/report.ts';

export type Look = Omit<Run, 'text'>;

/** A piece of declared text with all that is declared of its look, by itself or by what stands around it. */
export interface Piece {
  pointer: string;
  text: string;
  look: Look;
}

/** What is said of the letters of a block, box or cell. */
export function lettersOf(value: object): Look {
  return pick(value as Look, ['bold', 'italic', 'underline', 'strike', 'color', 'highlight', 'font', 'size']);
}

export function pick<Value extends object>(value: Value, names: readonly (keyof Value & keyof Look)[]): Look {
  return Object.fromEntries(names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));
}

/** Line ends are line feeds. */
export function clean(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

export function textOf(runs: readonly RunFacts[]): string {
  return runs.map(({ text }) => text).join('');
}

/** The pieces of an inline. `inherited` is what the block says of letters. */
export function piecesOf(inline: Inline, pointer: string, inherited: Look = {}): Piece[] {
  const piece = (part: string | Run, at: string): Piece => {
    if (typeof part === 'string') return { pointer: at, text: clean(part), look: inherited };
    const { text, ...own } = part;
    return { pointer: at, text: clean(text), look: { ...(own.link ? withoutColor(inherited) : inherited), ...own } };
  };
  return Array.isArray(inline)
    ? inline.map((part, index) => piece(part, `${pointer}/${index}`))
    : [piece(inline, pointer)];
}

/** A link looks like a link, unless it says itself what it looks like. */
function withoutColor({ color: _, underline: __, ...look }: Look): Look {
  return look;
}

export function plain(inline: Inline): string {
  return piecesOf(inline, '')
    .map(({ text }) => text)
    .join('');
}

const LETTERS = [
  'bold',
  'italic',
  'underline',
  'strike',
  'color',
  'highlight',
  'font',
  'size',
  'script',
  'link',
] as const;
/** Word counts font sizes in half points, OpenDocument to a tenth. */
const SIZE_TOLERANCE = 0.26;

/** The text of a paragraph, and the look of each of its pieces on every run that it reaches. */
export function compareRuns(
  pieces: readonly Piece[],
  runs: readonly RunFacts[],
  pointer: string,
  report: Report,
): void {
  const text = pieces.map((piece) => piece.text).join('');
  report.same(pointer, text, textOf(runs));
  if (text !== textOf(runs)) return;
  let start = 0;
  for (const piece of pieces) {
    comparePiece(piece, runsWithin(runs, start, start + piece.text.length), report);
    start += piece.text.length;
  }
}

export function comparePiece({ pointer, text, look }: Piece, runs: readonly RunFacts[], report: Report): void {
  for (const name of LETTERS) {
    const wanted = look[name];
    if (wanted === undefined) continue;
    for (const run of runs) {
      // A blank shows neither its colour nor its font; who stores it may say what they like of it.
      if (run.text.trim() === '' && text.trim() !== '') continue;
      const found = run[name] ?? null;
      if (name === 'link')
        report.same(
          `${pointer} link of ${JSON.stringify(text)}`,
          address(wanted as string),
          found && address(String(found)),
        );
      else report.same(`${pointer} ${name}`, wanted, found, SIZE_TOLERANCE);
    }
  }
}

/** The runs that hold the characters from `start` to `end`. */
export function runsWithin(runs: readonly RunFacts[], start: number, end: number): RunFacts[] {
  let place = 0;
  return runs.filter(({ text }) => {
    const begin = place;
    place += text.length;
    return begin < end && place > start;
  });
}

/** Addresses may be stored with letters that others would encode. */
function address(link: string): string {
  return URL.canParse(link) ? new URL(link).href : link;
}
