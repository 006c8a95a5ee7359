import type { Clock } from '../clock.ts';
import { signCallback } from '../crypto/signature.ts';
import type { Outbound } from './outbound.ts';

/** Milliseconds that a receiver has to answer (contract: Events). */
const TIMEOUT_MS = 10_000;

/** Milliseconds before each attempt, from the end of the last one (contract: Events). */
export const CALLBACK_SCHEDULE: readonly number[] = [0, 10_000, 60_000];

/** Returns whether a status is a 2xx (contract: Events). @param status null without an answer */
export function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

export interface Callback {
  url: string;
  event: string;
  /** UUID, the same in each attempt. */
  delivery: string;
  body: string;
  /** Empty: unsigned. */
  secret: string;
}

/**
 * Posts a callback, signed now (contract: Events, header table). @returns the status @throws without an answer in time
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
