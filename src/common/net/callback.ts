import type { Clock } from '../clock.ts';
import { signCallback } from '../crypto/signature.ts';
import type { Outbound } from './outbound.ts';

/** Time that a receiver has to answer (contract: Events). */
const TIMEOUT_MS = 10_000;

/** Milliseconds before each attempt, counted from the end of the one before (contract: Events). */
export const CALLBACK_SCHEDULE: readonly number[] = [0, 10_000, 60_000];

/** Returns whether a receiver has accepted a callback (contract: Events): any 2xx. @param status null without an answer */
export function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** A callback to a receiver. */
export interface Callback {
  url: string;
  event: string;
  /** UUID, the same in every attempt. */
  delivery: string;
  body: string;
  /** Empty: it goes unsigned. */
  secret: string;
}

/**
 * Posts a callback through the outbound door, signed at this moment (contract: Events, header table).
 * @returns the status of the answer
 * @throws when there was none within `timeoutMs` (10 s by default)
 */
export async function postCallback(
  { url, event, delivery, body, secret }: Callback,
  {
    outbound,
    clock,
    signal,
    timeoutMs = TIMEOUT_MS,
  }: {
    outbound: Outbound;
    clock: Clock;
    signal: AbortSignal;
    timeoutMs?: number | undefined;
  },
): Promise<number> {
  const bytes = Buffer.from(body);
  const timestamp = Math.floor(clock() / 1000);
  const { status } = await outbound.post(url, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'X-SVC-Event': event,
      'X-SVC-Delivery': delivery,
      'X-SVC-Timestamp': String(timestamp),
      ...(secret && { 'X-SVC-Signature': signCallback(secret, timestamp, bytes) }),
    },
    body: bytes,
    timeoutMs,
    signal,
  });
  return status;
}
