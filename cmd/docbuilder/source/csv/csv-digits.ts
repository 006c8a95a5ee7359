const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const PLUS = 0x2b;
const MINUS = 0x2d;

/** What a number would not bring back: 0912345678, +84912345678, and more digits than a number keeps. */
const LOSES_DIGITS = /^(?:0\d+|\+\d{8,}|-?\d{16,})$/;
/** Nobody's number has so many digits. */
const LONGEST = 1000;

/**
 * Puts quotes around the fields of a csv text, in pieces, that the engine would read as numbers and so change: phone
 * numbers lose their zero, account numbers their last digits. Quoted fields stay text.
 */
export class CsvDigits {
  readonly #delimiter: number | undefined;
  /** Where in a field the text stands. After a quote that nobody can tell the meaning of, all is left as it is. */
  #state: 'start' | 'inside' | 'quoted' | 'closed' | 'unclear' = 'start';
  /** The beginning of a field of digits whose end has not come yet. */
  #held = '';

  constructor(delimiter: string) {
    this.#delimiter = delimiter.codePointAt(0);
  }

  /** @returns what of the text is ready */
  add(piece: string): string {
    const text = this.#held + piece;
    this.#held = '';
    let ready = '';
    let from = 0;
    // Where a field begins that has had nothing but digits so far.
    let digits = this.#state === 'start' ? 0 : -1;
    for (let index = 0; index < text.length && this.#state !== 'unclear'; index += 1) {
      const letter = text.charCodeAt(index);
      if (this.#state === 'quoted') {
        if (letter === QUOTE) this.#state = 'closed';
      } else if (letter === this.#delimiter || letter === LINE_FEED || letter === RETURN) {
        if (digits >= 0 && digits < index) {
          ready += text.slice(from, digits) + quoted(text.slice(digits, index));
          from = index;
        }
        digits = index + 1;
        this.#state = 'start';
      } else if (this.#state === 'closed') {
        this.#state = letter === QUOTE ? 'quoted' : 'unclear';
      } else if (this.#state === 'start' && letter === QUOTE) {
        this.#state = 'quoted';
        digits = -1;
      } else {
        if (!isDigit(letter) && !(this.#state === 'start' && (letter === PLUS || letter === MINUS))) digits = -1;
        this.#state = 'inside';
      }
    }
    if (digits < 0 || this.#state === 'unclear' || text.length - digits > LONGEST) return ready + text.slice(from);
    this.#held = text.slice(digits);
    this.#state = 'start';
    return ready + text.slice(from, digits);
  }

  /** The rest, when the text has ended. */
  end(): string {
    return quoted(this.#held);
  }
}

function quoted(field: string): string {
  return LOSES_DIGITS.test(field) ? `"${field}"` : field;
}

function isDigit(letter: number): boolean {
  return letter >= 0x30 && letter <= 0x39;
}
