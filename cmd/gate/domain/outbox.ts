import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { CALLBACK_SCHEDULE, isTaken } from '../../../src/common/net/callback.ts';
import { pause } from '../../../src/common/pause.ts';
import { type Sending, sentAt } from './callback-body.ts';
import type { DeliveryRecord } from './model.ts';
import type { CallbackPoster, Rows } from './ports.ts';

/** Callbacks of different documents that are sent at the same time. */
const PARALLEL = 64;
/** After trouble of the store, and the longest sleep: a clock may have been set. */
const AGAIN_MS = 5_000;

export interface OutboxDependencies extends Sending {
  rows: Rows;
  poster: CallbackPoster;
  clock: Clock;
  log: Logger;
  audit: Audit;
  schedule?: readonly number[] | undefined;
  parallel?: number;
}

/** Sends what the rows hold. */
export interface Outbox {
  /** There may be something to send: after a start, a new callback, a moved clock. */
  wake(): void;
  /** Cuts what is under way; it is sent again after the next start. Resolves when nothing runs any more. */
  stop(): Promise<void>;
}

/**
 * Sends callbacks: those of one document one after the other, each until it was taken or given up, those of different
 * documents at the same time, and first to receivers that are asked least. What an attempt came to is written when it
 * has ended, so one that a kill cut off counts as none and is made again, with the same delivery id.
 */
export function createOutbox(deps: OutboxDependencies): Outbox {
  const { rows, poster, clock, log, audit } = deps;
  const schedule = deps.schedule ?? CALLBACK_SCHEDULE;
  const parallel = deps.parallel ?? PARALLEL;
  const running = new Map<string, { receiver: string; attempt: Promise<void> }>();
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  function wake(): void {
    if (stopped.signal.aborted) return;
    lookAgain = true;
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  async function look(): Promise<void> {
    while (lookAgain && !stopped.signal.aborted) {
      lookAgain = false;
      clearTimeout(timer);
      try {
        start(await rows.transact((tx) => tx.dueDeliveries()));
      } catch (error) {
        log.error({ err: error }, 'callbacks could not be read');
        wakeIn(AGAIN_MS);
      }
    }
  }

  function start(heads: DeliveryRecord[]): void {
    const now = clock();
    const waiting = heads.filter(({ docId }) => !running.has(docId));
    const due: DeliveryRecord[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const delivery of waiting) {
      const { nextAttemptAt, attempts } = delivery;
      // One that waits for longer than any does is due, too: the clock was set back.
      const longest = (schedule[attempts] ?? 0) + AGAIN_MS;
      if (nextAttemptAt <= now || nextAttemptAt > now + longest) due.push(delivery);
      else next = Math.min(next, nextAttemptAt);
    }
    for (const delivery of inFairOrder(due)) {
      if (running.size < parallel && !stopped.signal.aborted) run(delivery);
    }
    if (next < Number.POSITIVE_INFINITY) wakeIn(next - now);
  }

  /** Those of receivers that are asked least come first: one that hangs would take every place. */
  function inFairOrder(due: readonly DeliveryRecord[]): DeliveryRecord[] {
    const asked = new Map<string, number>();
    const place = (receiver: string): number => {
      const before = asked.get(receiver) ?? 0;
      asked.set(receiver, before + 1);
      return before;
    };
    for (const { receiver } of running.values()) place(receiver);
    const placed = due.map((delivery) => ({ delivery, place: place(receiverOf(delivery)) }));
    return placed.sort((one, other) => one.place - other.place).map(({ delivery }) => delivery);
  }

  function wakeIn(ms: number): void {
    clearTimeout(timer);
    if (!stopped.signal.aborted) timer = setTimeout(wake, Math.min(ms, AGAIN_MS));
  }

  function run(delivery: DeliveryRecord): void {
    const attempt = attemptOnce(delivery)
      .catch((error) => {
        log.error({ err: error, delivery: delivery.delivery }, 'the outcome of a callback could not be stored');
        return pause(AGAIN_MS, stopped.signal);
      })
      .finally(() => {
        running.delete(delivery.docId);
        wake();
      });
    running.set(delivery.docId, { receiver: receiverOf(delivery), attempt });
  }

  async function attemptOnce(stored: DeliveryRecord): Promise<void> {
    const delivery = sentAt(stored, clock(), deps);
    const status = await poster.post(delivery, stopped.signal);
    const taken = isTaken(status);
    if (stopped.signal.aborted && !taken) return;
    const after = outcome(delivery, status, taken);
    await rows.transact((tx) => tx.putDelivery(after));
    tell(after);
  }

  function outcome(delivery: DeliveryRecord, lastStatus: number | null, taken: boolean): DeliveryRecord {
    const now = clock();
    const attempts = delivery.attempts + 1;
    const wait = schedule[attempts];
    const after = { ...delivery, attempts, lastStatus };
    if (taken) return { ...after, state: 'delivered', endedAt: now };
    if (wait === undefined) return { ...after, state: 'given_up', endedAt: now };
    return { ...after, nextAttemptAt: now + wait };
  }

  function tell({ delivery, docId, key, event, version, attempts, lastStatus, state }: DeliveryRecord): void {
    const facts = { delivery, document: docId, event, version, attempts, status: lastStatus };
    if (state !== 'given_up') {
      log.info({ ...facts, state }, 'callback attempted');
      return;
    }
    // Not as `key`: a member of that name is taken for a secret and never reaches the log.
    log.error({ ...facts, document_key: key }, 'callback given up');
    audit.record('callback.given_up', { ...facts, key });
  }

  return {
    wake,
    async stop() {
      stopped.abort();
      clearTimeout(timer);
      await looking;
      await Promise.all([...running.values()].map(({ attempt }) => attempt));
      clearTimeout(timer);
    },
  };
}

function receiverOf({ url }: DeliveryRecord): string {
  return URL.parse(url)?.origin ?? url;
}
