import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { postCallback } from '../../../src/common/net/callback.ts';
import type { Outbound } from '../../../src/common/net/outbound.ts';
import type { CallbackPoster } from '../domain/ports.ts';

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
      try {
        return await postCallback({ ...delivery, secret }, { outbound, clock, signal, timeoutMs });
      } catch (error) {
        log.debug({ err: error, delivery: delivery.delivery }, 'callback had no answer');
        return null;
      }
    },
  };
}
