import { createHmac, randomBytes } from 'node:crypto';

const TIME_BYTES = 4;
const RANDOM_BYTES = 5;
const MAC_BYTES = 3;
/** File ids of one job. */
const MAX_SIBLINGS = 16;

/**
 * Makes and recognises ids of `<prefix>_` + 24 hex: 4 bytes of issue time, 5 random bytes, 3 bytes of a MAC over both.
 * The MAC tells an id that was issued and is forgotten (410 `gone`) from one that never was (404 `not_found`). Siblings
 * share time and random bytes, so a file's id leads to its job's. Ids are no secrets: authentication protects jobs.
 */
export class IdIssuer {
  readonly #key: Buffer;

  /** @param key at least 32 random bytes, the same across restarts */
  constructor(key: Buffer) {
    if (key.length < 32) throw new TypeError('an id key has at least 32 bytes');
    this.#key = key;
  }

  /** @param now epoch milliseconds */
  issue(prefix: string, now: number): string {
    const head = Buffer.alloc(TIME_BYTES + RANDOM_BYTES);
    head.writeUInt32BE(Math.floor(now / 1000));
    randomBytes(RANDOM_BYTES).copy(head, TIME_BYTES);
    return this.#format(prefix, head, 0);
  }

  /** Returns the `index`th id, below 16, of another kind that belongs to `id`. */
  sibling(id: string, prefix: string, index = 0): string {
    if (index >= MAX_SIBLINGS) throw new RangeError('too many siblings of one id');
    return this.#format(prefix, decodeHead(id), index);
  }

  /** Returns the epoch milliseconds at which this service issued `id`; undefined when it did not. */
  issuedAt(prefix: string, id: string): number | undefined {
    if (!new RegExp(`^${prefix}_[0-9a-f]{24}$`).test(id)) return undefined;
    const head = decodeHead(id);
    for (let index = 0; index < MAX_SIBLINGS; index += 1) {
      if (this.#format(prefix, head, index) === id) return head.readUInt32BE() * 1000;
    }
    return undefined;
  }

  /** Returns the time of `issuedAt` unverified, a hundred times quicker; NaN for what is no id. */
  getTime(id: string): number {
    const start = id.indexOf('_') + 1;
    return Number.parseInt(id.slice(start, start + 2 * TIME_BYTES), 16) * 1000;
  }

  #format(prefix: string, head: Buffer, index: number): string {
    const mac = createHmac('sha256', this.#key).update(`${prefix}${index}`).update(head).digest();
    return `${prefix}_${head.toString('hex')}${mac.subarray(0, MAC_BYTES).toString('hex')}`;
  }
}

function decodeHead(id: string): Buffer {
  return Buffer.from(id.slice(id.indexOf('_') + 1), 'hex').subarray(0, TIME_BYTES + RANDOM_BYTES);
}
