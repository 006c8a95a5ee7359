import { hash } from 'node:crypto';

/** Returns the first half of the SHA-256 of a value's JSON, base64url. Members count in their order. */
export function hashValue(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'buffer').toString('base64url', 0, 16);
}
