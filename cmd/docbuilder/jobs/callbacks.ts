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
  store: Pick<JobStore, 'ownsCallback' | 'update'>;
  outbound: Outbound;
  /** Body of a callback. */
  toBody: (job: JobRecord) => string;
  /** Empty: callbacks go unsigned. */
  secret: string;
  clock: Clock;
  log: Logger;
  schedule?: readonly number[] | undefined;
}

/** Sends job callbacks in the background: signed, up to three attempts, each with the same delivery id. */
export function createCallbackSender(deps: Dependencies): CallbackSender & { stop(): void } {
  const { store, clock, log, schedule = CALLBACK_SCHEDULE } = deps;
  const stopped = new AbortController();
  const { signal } = stopped;
  /** Ids of jobs. After a takeover without an answer the store may return a job again. */
  const underWay = new Set<string>();

  /** Makes all attempts. Rejects on a stop; a later run continues. */
  async function deliver(job: JobRecord, callback: CallbackRecord): Promise<void> {
    for (let earliest = 0; callback.state === 'pending'; ) {
      // No wait is longer than the schedule's: the clock may have been set back.
      const wait = Math.min((callback.nextAttemptAt ?? 0) - clock(), schedule[callback.attempts] ?? 0);
      await sleep(Math.max(earliest, wait), undefined, { signal });
      const isOurs = await store.ownsCallback(job).catch(() => undefined);
      if (isOurs === false) return;
      earliest = isOurs ? 0 : ASK_AGAIN_MS;
      if (isOurs) await attempt(job, callback);
    }
  }

  async function attempt(job: JobRecord, callback: CallbackRecord): Promise<void> {
    callback.attempts += 1;
    callback.nextAttemptAt = null;
    const status = await send(job, callback);
    callback.lastStatus = status;
    if (signal.aborted) return;
    const wait = schedule[callback.attempts];
    if (isTaken(status)) callback.state = 'delivered';
    else if (wait === undefined) callback.state = 'failed';
    else callback.nextAttemptAt = clock() + wait;
    const facts = { job: job.id, attempt: callback.attempts, status, state: callback.state };
    if (callback.state === 'failed') log.error(facts, 'callback given up');
    else log.info(facts, 'callback attempted');
    await keep(job, callback);
  }

  /** Writes the state of a callback. The next attempt would write it again; the last state is written until it is kept. */
  async function keep(job: JobRecord, callback: CallbackRecord): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await store.update(job);
      } catch (err) {
        if (isFirst) log.error({ err, job: job.id }, 'callback state could not be kept');
        if (callback.state === 'pending') return;
        await sleep(ASK_AGAIN_MS, undefined, { signal });
      }
    }
  }

  /** Makes one attempt. @returns the status of the answer, null without one */
  async function send(job: JobRecord, { url, deliveryId: delivery }: CallbackRecord): Promise<number | null> {
    const event = job.status === 'done' ? 'job.done' : 'job.failed';
    const callback = { url, event, delivery, body: deps.toBody(job), secret: deps.secret };
    try {
      return await postCallback(callback, { outbound: deps.outbound, clock, signal });
    } catch (error) {
      log.debug({ err: error, job: job.id }, 'callback had no answer');
      return null;
    }
  }

  return {
    deliver: (job) => {
      if (!job.callback || underWay.has(job.id)) return;
      underWay.add(job.id);
      deliver(job, job.callback)
        .catch((err) => signal.aborted || log.error({ err, job: job.id }, 'a callback failed unexpectedly'))
        .finally(() => underWay.delete(job.id));
    },
    stop: () => stopped.abort(),
  };
}
