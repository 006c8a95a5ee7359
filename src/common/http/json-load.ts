import { AppError, badRequest, fileTooLarge, MB } from '../errors.ts';
import { JsonShape } from './json-shape.ts';

/** A sheet of 20,000 rows and 200 cells has so many; each becomes an object in memory, or a place in one. */
export const MAX_JSON_VALUES = 4_000_000;
/**
 * Different names of members, over all objects. The parser makes much of each new name (V8, measured: up to 2.3 µs, all of
 * them in one go); data has as many names as it has columns.
 */
export const MAX_JSON_NAMES = 100_000;
/** What one of them takes in memory at most (V8, measured: 8 for a number, 20 for `[]`, 104 for `{"1000":1}`). */
const BYTES_PER_VALUE = 100;

/** Far more than any body has; code that goes down into a value runs out of stack at some thousands. */
const MAX_JSON_DEPTH = 1000;

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

  /**
   * JSON that begins to arrive. Whoever asks for it releases it.
   * @param maxBytes that it may have anyhow, for errors
   */
  open(maxBytes: number): HeldJson {
    return new HeldJson(this, maxBytes);
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
  readonly #maxBytes: number;
  readonly #shape = new JsonShape();
  #held = 0;

  constructor(load: JsonLoad, maxBytes: number) {
    this.#load = load;
    this.#maxBytes = maxBytes;
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
   * @throws {AppError} as `take`, `file_too_large` for more than `MAX_JSON_VALUES` or `MAX_JSON_NAMES`, `bad_request` for
   *   too deep a text
   */
  look(piece: Uint8Array): void {
    const before = this.#shape.values;
    this.#shape.add(piece);
    const { values, names, deepest } = this.#shape;
    if (deepest > MAX_JSON_DEPTH) {
      throw badRequest({ path: '', message: `lồng nhau quá sâu: hơn ${MAX_JSON_DEPTH} cấp` });
    }
    if (values > MAX_JSON_VALUES) throw this.#tooMany({ limit_values: MAX_JSON_VALUES, reason: 'too_many_values' });
    if (names > MAX_JSON_NAMES) throw this.#tooMany({ limit_names: MAX_JSON_NAMES, reason: 'too_many_names' });
    this.take((values - before) * BYTES_PER_VALUE);
  }

  release(): void {
    this.#load.change(-this.#held);
    this.#held = 0;
  }

  #tooMany(detail: object): AppError {
    return fileTooLarge(this.#maxBytes, { subject: 'body', ...detail });
  }
}
