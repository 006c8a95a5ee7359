import { createHmac } from 'node:crypto';
import { equalStrings } from './equal.ts';

/** Seconds that a receiver's clock may differ from `X-SVC-Timestamp` (contract: Events). */
const SIGNATURE_TOLERANCE_SECONDS = 300;

/**
 * Computes `X-SVC-Signature` (contract: Events): `sha256=` + hex of HMAC-SHA256(key, `<timestamp>.<raw body>`).
 * @param timestamp Unix seconds
 */
export function signCallback(key: string, timestamp: number, body: Uint8Array | string): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** Checks a callback's signature and timestamp, as a receiver does. */
export function verifyCallback(
  key: string,
  headers: { timestamp: string; signature: string },
  body: Uint8Array | string,
  now: number = Date.now(),
): boolean {
  if (!/^\d{1,12}$/.test(headers.timestamp)) return false;
  const timestamp = Number(headers.timestamp);
  if (Math.abs(now / 1000 - timestamp) > SIGNATURE_TOLERANCE_SECONDS) return false;
  return equalStrings(headers.signature, signCallback(key, timestamp, body));
}
