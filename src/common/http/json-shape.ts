import { randomInt } from 'node:crypto';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const COLON = 0x3a;

/** One bit for each hash of a name: ten times as many as names that anybody may count up to. */
const NAME_BITS = 20;
/** FNV-1a (draft-eastlake-fnv), begun anew in each process so that nobody can look for names of one hash. */
const FNV_PRIME = 0x01000193;
const FNV_START = randomInt(2 ** 32);
/** So much of a string tells names apart: those that need more are too long to be many. */
const NAME_BYTES = 1024;

/**
 * How much a JSON text (RFC 8259) will be when it is parsed, from its bytes, in pieces of any size. Says nothing of
 * whether it is valid. No byte of a longer UTF-8 character is one of those that are looked for.
 */
export class JsonShape {
  /** `[`, `{` and `,` outside of strings: one for each value or less. */
  values = 0;
  /** Lists and objects within each other. */
  deepest = 0;
  /** Different names of members, or a few less: those with the same hash count once. */
  names = 0;
  readonly #seen = new Uint32Array(2 ** (NAME_BITS - 5));
  /** Of the last string, which was a name if a colon follows. */
  #hash = 0;
  #unhashed = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  add(piece: Uint8Array): void {
    let inString = this.#inString;
    let escaped = this.#escaped;
    let hash = this.#hash;
    let unhashed = this.#unhashed;
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        if (unhashed > 0) {
          hash = Math.imul(hash ^ (byte as number), FNV_PRIME);
          unhashed -= 1;
        }
      } else if (byte === QUOTE) {
        inString = true;
        hash = FNV_START;
        unhashed = NAME_BYTES;
      } else if (byte === COLON) this.#name(hash);
      else if (byte === COMMA) this.values += 1;
      else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) this.#open();
      else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) this.#depth -= 1;
    }
    this.#inString = inString;
    this.#escaped = escaped;
    this.#hash = hash;
    this.#unhashed = unhashed;
  }

  #name(hash: number): void {
    // The high bits depend on all of the name.
    const bit = hash >>> (32 - NAME_BITS);
    const mask = 1 << (bit & 31);
    const word = this.#seen[bit >>> 5] as number;
    if ((word & mask) !== 0) return;
    this.#seen[bit >>> 5] = word | mask;
    this.names += 1;
  }

  #open(): void {
    this.values += 1;
    this.#depth += 1;
    if (this.#depth > this.deepest) this.deepest = this.#depth;
  }
}
