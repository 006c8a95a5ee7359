import { AppError } from '../errors.ts';

const MB = 1024 * 1024;

/** A sheet of 20,000 rows and 200 cells has so many; each becomes an object in memory, or a place in one. */
export const MAX_JSON_VALUES = 4_000_000;
/** What one of them takes in memory at most (V8, measured: 8 for a number, 20 for `[]`, 104 for `{"1000":1}`). */
const BYTES_PER_VALUE = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * What all JSON that a service holds at once may take in memory. A few bytes of JSON can become many in memory, and many
 * requests can arrive together, so both are known before anything is parsed.
 */
export class JsonLoad {
  readonly #most: number;
  #held = 0;

  /** @param most bytes, of everything together */
  constructor(most: number) {
    this.#most = most;
  }

  /** JSON that begins to arrive. Whoever asks for it releases it. */
  open(): HeldJson {
    return new HeldJson(this);
  }

  /**
   * Whether more would be taken.
   * @param before what the same JSON holds already
   * @throws {AppError} `file_too_large`, `pool_unavailable`
   */
  check(bytes: number, before: number): void {
    if (before + bytes > this.#most) {
      throw new AppError('file_too_large', {
        limit_mb: Math.floor(this.#most / MB),
        subject: 'body',
        reason: 'memory_limit',
      });
    }
    if (this.#held + bytes > this.#most) throw new AppError('pool_unavailable', { reason: 'memory_limit' });
  }

  /** @param bytes negative when they are given back */
  change(bytes: number): void {
    this.#held += bytes;
  }
}

/** The JSON of one request, from its first byte until nobody needs its value any more. */
export class HeldJson {
  readonly #load: JsonLoad;
  #held = 0;
  #values = 0;
  #inString = false;
  #escaped = false;

  constructor(load: JsonLoad) {
    this.#load = load;
  }

  /**
   * Says how long the text will be, so that one that will not fit is refused before it is sent.
   * @throws {AppError} as `take`
   */
  expect(bytes: number): void {
    this.#load.check(bytes, this.#held);
  }

  /**
   * Makes room for bytes.
   * @throws {AppError} `pool_unavailable` while others hold too much, `file_too_large` if it would not even fit alone
   */
  take(bytes: number): void {
    this.#load.check(bytes, this.#held);
    this.#load.change(bytes);
    this.#held += bytes;
  }

  /**
   * Makes room for what the next piece of the text will be when it is parsed.
   * @throws {AppError} as `take`, and `file_too_large` for more than `MAX_JSON_VALUES`
   */
  look(piece: Uint8Array): void {
    const values = this.#valuesOf(piece);
    this.#values += values;
    if (this.#values > MAX_JSON_VALUES) {
      throw new AppError('file_too_large', {
        limit_values: MAX_JSON_VALUES,
        subject: 'body',
        reason: 'too_many_values',
      });
    }
    this.take(values * BYTES_PER_VALUE);
  }

  release(): void {
    this.#load.change(-this.#held);
    this.#held = 0;
  }

  /** Counts `[`, `{` and `,` outside of strings. No byte of a longer UTF-8 character is any of these. */
  #valuesOf(piece: Uint8Array): number {
    let values = 0;
    let inString = this.#inString;
    let escaped = this.#escaped;
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) values += 1;
    }
    this.#inString = inString;
    this.#escaped = escaped;
    return values;
  }
}
