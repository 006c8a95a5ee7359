import type { Clock } from '../../../src/common/clock.ts';
import { signCallback } from '../../../src/common/crypto/signature.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Outbound } from '../../../src/common/net/outbound.ts';
import type { CallbackPoster } from '../domain/ports.ts';

/** Within which the receiver has to answer (contract: Events). */
const TIMEOUT_MS = 10_000;

interface Dependencies {
  /** The one door, as `SVC-Gate/1.0`. */
  outbound: Outbound;
  /** Empty: callbacks go unsigned. */
  secret: string;
  clock: Clock;
  log: Logger;
  timeoutMs?: number;
}

/** Sends document callbacks, signed at the moment of each attempt (contract: Events). */
export function createCallbackPoster({ outbound, secret, clock, log, timeoutMs }: Dependencies): CallbackPoster {
  return {
    async post(delivery, signal) {
      const body = Buffer.from(delivery.body);
      const timestamp = Math.floor(clock() / 1000);
      try {
        const { status } = await outbound.post(delivery.url, {
          headers: {
            'Content-Type': 'application/json; charset=utf-8',
            'X-SVC-Event': delivery.event,
            'X-SVC-Delivery': delivery.delivery,
            'X-SVC-Timestamp': String(timestamp),
            ...(secret && { 'X-SVC-Signature': signCallback(secret, timestamp, body) }),
          },
          body,
          timeoutMs: timeoutMs ?? TIMEOUT_MS,
          signal,
        });
        return status;
      } catch (error) {
        log.debug({ err: error, delivery: delivery.delivery }, 'callback had no answer');
        return null;
      }
    },
  };
}
