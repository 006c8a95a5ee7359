import { AppError, badRequest, fileTooLarge, MB } from '../errors.ts';

/** The values of a sheet of 20,000 rows and 200 cells. */
export const MAX_JSON_VALUES = 4_000_000;
/** Most memory of one value (V8, measured: 8 for a number, 20 for `[]`, 104 for `{"1000":1}`). */
const BYTES_PER_VALUE = 100;

/** Code that recurses into a value runs out of stack at some thousands. */
const MAX_JSON_DEPTH = 1000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The memory of all JSON in a service: its limit and the use, in bytes. */
export interface JsonMemory {
  readonly maxBytes: number;
  held: number;
}

/**
 * The JSON of one request, until it is released. Few bytes of JSON can take much memory, so bytes and values are counted
 * before parsing.
 */
export class JsonAllocation {
  readonly #memory: JsonMemory;
  readonly #maxBytes: number;
  #held = 0;
  #values = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** @param maxBytes the request's own limit, for errors */
  constructor(memory: JsonMemory, maxBytes: number) {
    this.#memory = memory;
    this.#maxBytes = maxBytes;
  }

  /**
   * Checks for room.
   * @throws {AppError} `file_too_large` if the bytes would not even fit alone, `pool_unavailable` while others hold too
   *   much
   */
  assertRoom(bytes: number): void {
    const { maxBytes, held } = this.#memory;
    if (this.#held + bytes > maxBytes) {
      const limit = Math.floor(maxBytes / MB);
      throw new AppError('file_too_large', { limit_mb: limit, subject: 'body', reason: 'memory_limit' });
    }
    if (held + bytes > maxBytes) throw new AppError('pool_unavailable', { reason: 'memory_limit' });
  }

  /** Takes room for bytes. @throws {AppError} as `assertRoom` */
  reserve(bytes: number): void {
    this.assertRoom(bytes);
    this.#memory.held += bytes;
    this.#held += bytes;
  }

  /**
   * Takes room for the values in the next piece of the text.
   * @throws {AppError} as `assertRoom`; `file_too_large` for more than `MAX_JSON_VALUES`; `bad_request` for a text too deep
   */
  count(piece: Uint8Array): void {
    const before = this.#values;
    this.#scan(piece);
    if (this.#values > MAX_JSON_VALUES) {
      const detail = { subject: 'body', limit_values: MAX_JSON_VALUES, reason: 'too_many_values' };
      throw fileTooLarge(this.#maxBytes, detail);
    }
    this.reserve((this.#values - before) * BYTES_PER_VALUE);
  }

  release(): void {
    this.#memory.held -= this.#held;
    this.#held = 0;
  }

  /** Counts `[`, `{` and `,` outside of strings, at least one for each value, in bytes: all are ASCII. */
  #scan(piece: Uint8Array): void {
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
