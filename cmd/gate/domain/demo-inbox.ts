import { type Clock, iso } from '../../../src/common/clock.ts';
import { verifyCallback } from '../../../src/common/crypto/signature.ts';

export interface ReceivedCallback {
  received_at: string;
  event: string;
  delivery: string;
  /** `unsigned`: it has no signature and the service has no key; without one although there is a key is `invalid`. */
  signature: 'valid' | 'invalid' | 'unsigned';
  /** null: it was no JSON. */
  body: unknown;
}

export type DemoInbox = ReturnType<typeof createDemoInbox>;

/** Contract: Gate: operations and internal, demo endpoints. */
const KEPT = 20;

/**
 * Receives save callbacks, checks signatures and keeps the last 20 in memory. @param secret signs them; may be empty
 */
export function createDemoInbox(secret: string, clock: Clock) {
  const kept: ReceivedCallback[] = [];

  function check(timestamp: string, signature: string | undefined, body: Buffer): ReceivedCallback['signature'] {
    if (secret === '' && signature === undefined) return 'unsigned';
    const signed = { timestamp, signature: signature ?? '' };
    return secret !== '' && verifyCallback(secret, signed, body, clock()) ? 'valid' : 'invalid';
  }

  return {
    receive(getHeader: (name: string) => string | undefined, body: Buffer): ReceivedCallback {
      const received: ReceivedCallback = {
        received_at: iso(clock()),
        event: getHeader('x-svc-event') ?? '',
        delivery: getHeader('x-svc-delivery') ?? '',
        signature: check(getHeader('x-svc-timestamp') ?? '', getHeader('x-svc-signature'), body),
        body: parse(body),
      };
      kept.unshift(received);
      kept.length = Math.min(kept.length, KEPT);
      return received;
    },
    /** Returns them newest first. */
    list: () => [...kept],
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
