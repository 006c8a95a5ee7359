import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { CALLBACK_SCHEDULE, isTaken, postCallback } from '../../../src/common/net/callback.ts';
import type { Outbound } from '../../../src/common/net/outbound.ts';
import type { CallbackRecord, JobRecord } from './job.ts';
import type { JobStore } from './job-store.ts';
import type { CallbackSender } from './jobs.ts';

/** Milliseconds until a store that is away is asked again. */
const ASK_AGAIN_MS = 1_000;

interface Dependencies {
  store: Pick<JobStore, 'sends' | 'update'>;
  outbound: Outbound;
  /** Body of a callback. */
  toBody: (job: JobRecord) => string;
  /** Empty: callbacks go unsigned. */
  secret: string;
  clock: Clock;
  log: Logger;
  schedule?: readonly number[] | undefined;
}

/** Sends job callbacks in the background: signed, up to three attempts, the delivery id the same in each. */
export function createCallbackSender(deps: Dependencies): CallbackSender & { stop(): void } {
  const schedule = deps.schedule ?? CALLBACK_SCHEDULE;
  const stopped = new AbortController();
  const { signal } = stopped;

  /** Makes all attempts. Rejects when they are stopped: a later run goes on with them. */
  async function deliver(job: JobRecord, callback: CallbackRecord): Promise<void> {
    for (let earliest = 0; callback.state === 'pending'; ) {
      await sleep(Math.max(earliest, (callback.nextAttemptAt ?? 0) - deps.clock()), undefined, { signal });
      const isOurs = await deps.store.sends(job).catch(() => undefined);
      if (isOurs === false) return;
      earliest = isOurs ? 0 : ASK_AGAIN_MS;
      if (isOurs) await attempt(job, callback);
    }
  }

  async function attempt(job: JobRecord, callback: CallbackRecord): Promise<void> {
    callback.attempts += 1;
    callback.nextAttemptAt = null;
    callback.lastStatus = await send(job, callback);
    if (signal.aborted) return;
    const wait = schedule[callback.attempts];
    if (isTaken(callback.lastStatus)) callback.state = 'delivered';
    else if (wait === undefined) callback.state = 'failed';
    else callback.nextAttemptAt = deps.clock() + wait;
    const facts = { job: job.id, attempt: callback.attempts, status: callback.lastStatus, state: callback.state };
    if (callback.state === 'failed') deps.log.error(facts, 'callback given up');
    else deps.log.info(facts, 'callback attempted');
    await deps.store
      .update(job)
      .catch((error) => deps.log.error({ err: error, job: job.id }, 'callback state could not be kept'));
  }

  /** The status of one attempt, null when there was no answer. */
  async function send(job: JobRecord, callback: CallbackRecord): Promise<number | null> {
    const { toBody, secret, outbound, clock } = deps;
    const event = job.status === 'done' ? 'job.done' : 'job.failed';
    const { url, deliveryId: delivery } = callback;
    const body = toBody(job);
    try {
      return await postCallback({ url, event, delivery, body, secret }, { outbound, clock, signal });
    } catch (error) {
      deps.log.debug({ err: error, job: job.id }, 'callback had no answer');
      return null;
    }
  }

  return {
    deliver: (job) => {
      if (!job.callback) return;
      deliver(job, job.callback).catch((error) => {
        if (!signal.aborted) deps.log.error({ err: error, job: job.id }, 'a callback failed unexpectedly');
      });
    },
    stop: () => stopped.abort(),
  };
}
