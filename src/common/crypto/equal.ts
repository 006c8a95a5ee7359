import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two byte strings are equal, in time that depends on neither's content nor on where they differ. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  // Hashing first makes the lengths equal, which timingSafeEqual demands.
  return timingSafeEqual(sha256(a), sha256(b));
}

/** Whether two strings are equal, in constant time. */
export function equalStrings(a: string, b: string): boolean {
  return equalBytes(Buffer.from(a), Buffer.from(b));
}

function sha256(value: Uint8Array): Buffer {
  return createHash('sha256').update(value).digest();
}
