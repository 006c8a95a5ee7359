import { AppError, badRequest, fileTooLarge, MB } from '../errors.ts';

/** A sheet of 20,000 rows and 200 cells has so many; each becomes an object in memory, or a place in one. */
export const MAX_JSON_VALUES = 4_000_000;
/** Most memory that one value takes (V8, measured: 8 for a number, 20 for `[]`, 104 for `{"1000":1}`). */
const BYTES_PER_VALUE = 100;

/** Far more than any body has; code that recurses into a value runs out of stack at some thousands. */
const MAX_JSON_DEPTH = 1000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Limits the memory of all JSON that a service holds at once. A few bytes of JSON can become many in memory, and many
 * requests can arrive together, so both are counted before anything is parsed.
 */
export class JsonLoad {
  /** Bytes that there may be of everything together. */
  readonly maxBytes: number;
  /** Bytes that there are. */
  held = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /**
   * Begins to count the JSON of one request. The caller releases it.
   * @param maxBytes the request's own limit, for errors
   */
  open(maxBytes: number): HeldJson {
    return new HeldJson(this, maxBytes);
  }
}

/** The JSON of one request, from its first byte until nobody needs its value any more. */
export class HeldJson {
  readonly #load: JsonLoad;
  readonly #maxBytes: number;
  #held = 0;
  #values = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(load: JsonLoad, maxBytes: number) {
    this.#load = load;
    this.#maxBytes = maxBytes;
  }

  /**
   * Checks that there is room for more bytes.
   * @throws {AppError} `file_too_large` if they would not even fit alone, `pool_unavailable` while others hold too much
   */
  expect(bytes: number): void {
    const { maxBytes, held } = this.#load;
    if (this.#held + bytes > maxBytes) {
      const limit = Math.floor(maxBytes / MB);
      throw new AppError('file_too_large', { limit_mb: limit, subject: 'body', reason: 'memory_limit' });
    }
    if (held + bytes > maxBytes) throw new AppError('pool_unavailable', { reason: 'memory_limit' });
  }

  /** Makes room for bytes. @throws {AppError} as `expect` */
  take(bytes: number): void {
    this.expect(bytes);
    this.#load.held += bytes;
    this.#held += bytes;
  }

  /**
   * Makes room for the values in the next piece of the text.
   * @throws {AppError} as `expect`; `file_too_large` for more than `MAX_JSON_VALUES`; `bad_request` for a text too deep
   */
  look(piece: Uint8Array): void {
    const before = this.#values;
    this.#count(piece);
    if (this.#values > MAX_JSON_VALUES) {
      const detail = { subject: 'body', limit_values: MAX_JSON_VALUES, reason: 'too_many_values' };
      throw fileTooLarge(this.#maxBytes, detail);
    }
    this.take((this.#values - before) * BYTES_PER_VALUE);
  }

  release(): void {
    this.#load.held -= this.#held;
    this.#held = 0;
  }

  /** Counts `[`, `{` and `,` outside of strings: one for each value or less. Works on bytes, since all of them are ASCII. */
  #count(piece: Uint8Array): void {
    let [inString, escaped] = [this.#inString, this.#escaped];
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === COMMA) this.#values += 1;
      else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) this.#open();
      else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) this.#depth -= 1;
    }
    [this.#inString, this.#escaped] = [inString, escaped];
  }

  #open(): void {
    this.#values += 1;
    this.#depth += 1;
    if (this.#depth <= MAX_JSON_DEPTH) return;
    throw badRequest({ path: '', message: `lồng nhau quá sâu: hơn ${MAX_JSON_DEPTH} cấp` });
  }
}
