import type { Attributes } from './namespaces.ts';
import { lettersOf } from './rows.ts';
import type { Elements, Open } from './walk.ts';

/** How a level of a list is numbered (ODF 1.3 part 3, section 16.29). */
interface Level {
  /** Empty for a level without a number, such as one with bullets. */
  format: string;
  prefix: string;
  suffix: string;
  /** Whether letters are repeated after Z. */
  repeats: boolean;
  start: number;
  /** Levels whose numbers are shown, this one's the last. */
  shown: number;
  /** LibreOffice's own way to say what stands around the numbers, such as `%1%.%2%)`. */
  pattern: string | undefined;
}

/** Numbers of the items of one list. */
export interface Counters {
  /** Counts an item. @returns its label; empty if it has none */
  next(level: number, start?: number): string;
}

export interface ListStyles {
  /** What to read while walking a part that has list styles. */
  readonly elements: Elements;
  /** Begins to count. Without a name by the style of headings. */
  counters(style: string | undefined): Counters;
}

const MAX_LEVEL = 10;
/** Higher numbers are written in digits: a Roman million has a thousand letters. */
const MAX_SPELT = 3999;

/** Collects list styles, and makes the labels that LibreOffice shows but does not write. */
export function createListStyles(): ListStyles {
  const styles = new Map<string, Map<number, Level>>();
  let current: Map<number, Level> | undefined;
  const begin = (name: string) => {
    current = new Map();
    styles.set(name, current);
    return () => {
      current = undefined;
    };
  };
  const level: Open = (attributes) => {
    current?.set(Number(attributes['text:level']), levelOf(attributes));
    return undefined;
  };
  return {
    elements: {
      'text:list-style': (attributes) => begin(attributes['style:name'] ?? ''),
      'text:outline-style': () => begin(HEADINGS),
      'text:list-level-style-number': level,
      'text:outline-level-style': level,
    },
    counters: (style = HEADINGS) => createCounters(styles.get(style) ?? new Map()),
  };
}

/** No other style has an empty name. */
const HEADINGS = '';

function levelOf(attributes: Attributes): Level {
  return {
    format: attributes['style:num-format'] ?? '',
    prefix: attributes['style:num-prefix'] ?? '',
    suffix: attributes['style:num-suffix'] ?? '',
    repeats: attributes['style:num-letter-sync'] === 'true',
    start: Number(attributes['text:start-value'] ?? 1) || 0,
    shown: Number(attributes['text:display-levels'] ?? 1) || 1,
    pattern: attributes['loext:num-list-format'],
  };
}

function createCounters(levels: ReadonlyMap<number, Level>): Counters {
  const numbers: number[] = [];
  const numberOf = (at: number) => numbers[at] ?? levels.get(at)?.start ?? 1;
  return {
    next(at, start) {
      const level = levels.get(at);
      if (!(at >= 1 && at <= MAX_LEVEL)) return '';
      numbers[at] = start ?? (numbers[at] === undefined ? numberOf(at) : numbers[at] + 1);
      numbers.length = at + 1;
      if (!level) return '';
      const spell = (from: number) => spelt(numberOf(from), levels.get(from));
      if (level.pattern !== undefined) return level.pattern.replace(/%(\d+)%/g, (_, from) => spell(Number(from)));
      const from = Math.max(1, at - level.shown + 1);
      const shown = Array.from({ length: at - from + 1 }, (_, index) => spell(from + index));
      return level.prefix + shown.filter((number) => number !== '').join('.') + level.suffix;
    },
  };
}

/** A number as ODF 1.3 part 3, section 19.500 has it; in digits in a format that is not known. */
function spelt(number: number, level: Level | undefined): string {
  const format = level?.format ?? '';
  if (format === '') return '';
  if (number < 1 || number > MAX_SPELT || !/^[aAiI]$/.test(format)) return String(number);
  const text = /[iI]/.test(format) ? roman(number) : letters(number, level?.repeats === true);
  return format === format.toLowerCase() ? text.toLowerCase() : text;
}

/** @param repeats after Z comes AA, then BB */
function letters(number: number, repeats: boolean): string {
  return repeats ? lettersOf(((number - 1) % 26) + 1).repeat(Math.ceil(number / 26)) : lettersOf(number);
}

const ROMAN = 'M CM D CD C XC L XL X IX V IV I'.split(' ');
const ROMAN_VALUES = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];

function roman(number: number): string {
  let rest = number;
  let text = '';
  for (const [index, value] of ROMAN_VALUES.entries()) {
    for (; rest >= value; rest -= value) text += ROMAN[index];
  }
  return text;
}
