const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * How much a JSON text (RFC 8259) will be when it is parsed, from its bytes, in pieces of any size. Says nothing of
 * whether it is valid. No byte of a longer UTF-8 character is one of those that are looked for.
 */
export class JsonShape {
  /** `[`, `{` and `,` outside of strings: one for each value or less. */
  values = 0;
  /** Lists and objects within each other. */
  deepest = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  add(piece: Uint8Array): void {
    let inString = this.#inString;
    let escaped = this.#escaped;
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === COMMA) this.values += 1;
      else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) this.#open();
      else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) this.#depth -= 1;
    }
    this.#inString = inString;
    this.#escaped = escaped;
  }

  #open(): void {
    this.values += 1;
    this.#depth += 1;
    if (this.#depth > this.deepest) this.deepest = this.#depth;
  }
}
