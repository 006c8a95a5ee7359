import type { Attributes } from './sax.ts';

/** The numbering of one level of a list (ODF 1.3 part 3, section 16.29). */
interface Level {
  /** Empty for a level without numbers, such as one with bullets. */
  format: string;
  start: number;
  /** The label with numbers of levels in it, such as `%1%.%2%)`. */
  pattern: string;
}

export type Levels = Map<number, Level>;

const MAX_LEVEL = 10;
/** Higher numbers are written in digits: a Roman million has a thousand letters. */
const MAX_SPELT = 3999;

/** Adds a level to a list style; LibreOffice writes the pattern of a label for text documents only. */
export function addLevel(levels: Levels, attributes: Attributes): void {
  const level = Number(attributes['text:level']);
  const { 'style:num-prefix': prefix = '', 'style:num-suffix': suffix = '' } = attributes;
  levels.set(level, {
    format: attributes['style:num-format'] ?? '',
    start: Number(attributes['text:start-value'] ?? 1) || 0,
    pattern: attributes['loext:num-list-format'] ?? `${prefix}%${level}%${suffix}`,
  });
}

/** Counts the items of one list, for labels that LibreOffice shows and does not write. */
export class ListCounter {
  readonly #levels: Levels;
  readonly #numbers: number[] = [];

  constructor(levels: Levels) {
    this.#levels = levels;
  }

  /** Counts an item. @returns its label; empty if it has none */
  next(at: number, start?: number): string {
    const level = this.#levels.get(at);
    if (!(at >= 1 && at <= MAX_LEVEL)) return '';
    this.#numbers[at] = start ?? (this.#numbers[at] === undefined ? this.#number(at) : this.#numbers[at] + 1);
    this.#numbers.length = at + 1;
    const spelt = (from: number) => spell(this.#number(from), this.#levels.get(from));
    return level?.pattern.replace(/%(\d+)%/g, (_, from) => spelt(Number(from))) ?? '';
  }

  #number(at: number): number {
    return this.#numbers[at] ?? this.#levels.get(at)?.start ?? 1;
  }
}

/** Writes a number as ODF 1.3 part 3, section 19.500 has it, and in digits in an unknown format. */
function spell(number: number, level: Level | undefined): string {
  const format = level?.format ?? '';
  if (format === '') return '';
  if (number < 1 || number > MAX_SPELT || !/^[aAiI]$/.test(format)) return String(number);
  const text = /[iI]/.test(format) ? toRoman(number) : toLetters(number);
  return format === format.toLowerCase() ? text.toLowerCase() : text;
}

/** Writes a number from 1 as letters: AA follows Z, then AB. */
export function toLetters(number: number): string {
  let letters = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

const ROMAN = 'M CM D CD C XC L XL X IX V IV I'.split(' ');
const ROMAN_VALUES = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];

function toRoman(number: number): string {
  let rest = number;
  let text = '';
  for (const [index, value] of ROMAN_VALUES.entries()) {
    for (; rest >= value; rest -= value) text += ROMAN[index];
  }
  return text;
}
