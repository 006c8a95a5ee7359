import { createHmac, randomBytes } from 'node:crypto';
import { equalBytes } from './crypto/equal.ts';

/** A request id: `req_` + 16 hex (contract: Identifiers). */
export function requestId(): string {
  return `req_${randomBytes(8).toString('hex')}`;
}

const TIME_BYTES = 4;
const RANDOM_BYTES = 5;
const MAC_BYTES = 3;

/**
 * Makes and recognises ids of `<prefix>_` + 24 hex: 4 bytes of issue time, 5 random bytes, 3 bytes of a MAC over both.
 * The MAC lets a service tell an id that it once issued (and has since forgotten) from one that never was, without
 * keeping a list of the forgotten ones: 410 `gone` against 404 `not_found`. It is not a secret: files and jobs
 * are protected by authentication.
 */
export class IdIssuer {
  readonly #key: Buffer;

  /** @param key at least 32 random bytes, the same across restarts */
  constructor(key: Buffer) {
    if (key.length < 32) throw new TypeError('an id key has at least 32 bytes');
    this.#key = key;
  }

  /** A new id issued at `now` (epoch milliseconds). */
  issue(prefix: string, now: number): string {
    const head = Buffer.alloc(TIME_BYTES + RANDOM_BYTES);
    head.writeUInt32BE(Math.floor(now / 1000));
    randomBytes(RANDOM_BYTES).copy(head, TIME_BYTES);
    return `${prefix}_${head.toString('hex')}${this.#mac(prefix, head).toString('hex')}`;
  }

  /** Epoch milliseconds at which this service issued `id`, or undefined when it never did. */
  issuedAt(prefix: string, id: string): number | undefined {
    if (!new RegExp(`^${prefix}_[0-9a-f]{24}$`).test(id)) return undefined;
    const bytes = Buffer.from(id.slice(prefix.length + 1), 'hex');
    const head = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES);
    if (!equalBytes(bytes.subarray(TIME_BYTES + RANDOM_BYTES), this.#mac(prefix, head))) return undefined;
    return head.readUInt32BE() * 1000;
  }

  #mac(prefix: string, head: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(prefix).update(head).digest().subarray(0, MAC_BYTES);
  }
}
