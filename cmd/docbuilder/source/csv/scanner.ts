const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The role of one character of csv text. `skip` is the line feed behind a return. */
export type Role = 'text' | 'quote' | 'separator' | 'end' | 'skip';

/**
 * Tells the role of each character of csv text, as LibreOffice and Excel read it: a quote opens a quoted field at the
 * start of a field only (5" opens nothing), and one right behind a closing quote opens it again.
 */
export class CsvScanner {
  readonly #separators: string;
  #state: 'start' | 'inside' | 'quoted' | 'closed' = 'start';
  #afterReturn = false;
  /** Text has followed a closing quote: programs disagree where such fields end. */
  isUnclear = false;

  /** @param separators each character is one */
  constructor(separators: string) {
    this.#separators = separators;
  }

  /** The next character is inside quotes. */
  get isQuoted(): boolean {
    return this.#state === 'quoted';
  }

  /** @param code a UTF-16 code unit */
  next(code: number): Role {
    const afterReturn = this.#afterReturn;
    this.#afterReturn = false;
    if (this.#state === 'quoted') {
      if (code !== QUOTE) return 'text';
      this.#state = 'closed';
      return 'quote';
    }
    if (code === LINE_FEED || code === RETURN) {
      this.#afterReturn = code === RETURN;
      this.#state = 'start';
      return afterReturn && code === LINE_FEED ? 'skip' : 'end';
    }
    if (this.#isSeparator(code)) {
      this.#state = 'start';
      return 'separator';
    }
    if (code === QUOTE && this.#state !== 'inside') {
      this.#state = 'quoted';
      return 'quote';
    }
    if (this.#state === 'closed') this.isUnclear = true;
    this.#state = 'inside';
    return 'text';
  }

  #isSeparator(code: number): boolean {
    for (let index = 0; index < this.#separators.length; index += 1) {
      if (this.#separators.charCodeAt(index) === code) return true;
    }
    return false;
  }
}
