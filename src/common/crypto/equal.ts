import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns whether two strings are equal, in constant time. */
export function equalStrings(a: string, b: string): boolean {
  // Hashing first makes the lengths equal, which timingSafeEqual demands.
  return timingSafeEqual(sha256(a), sha256(b));
}

function sha256(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
