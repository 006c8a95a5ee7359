import { isDeepStrictEqual } from 'node:util';
import { CALLBACK_SCHEDULE, isTaken } from '../../../src/common/net/callback.ts';
import { pause } from '../../../src/common/pause.ts';
import { repeat } from '../../../src/common/repeat.ts';
import { type Sending, sentAt } from './callback-body.ts';
import type { Common } from './common.ts';
import type { Duty } from './leadership.ts';
import type { DeliveryRecord } from './model.ts';
import type { CallbackPoster } from './ports.ts';

/** The documents whose callbacks are sent at the same time. */
const PARALLEL = 64;
/** The pause after the store failed, and the longest sleep: a clock may have been set. */
const AGAIN_MS = 5_000;

export interface OutboxDependencies extends Sending, Pick<Common, 'rows' | 'clock' | 'log' | 'audit'> {
  poster: CallbackPoster;
  schedule?: readonly number[] | undefined;
  parallel?: number;
  /** Returns whether this gate is still the one that sends; by default there is no other. */
  leads?: () => boolean;
  /** Milliseconds between looks for callbacks that other gates wrote; undefined where there are none. */
  lookMs?: number | undefined;
}

interface Running {
  receiver: string;
  attempt: Promise<void>;
}

/**
 * Sends callbacks: those of one document one after the other, those of different documents side by side, receivers with
 * few attempts under way first. The outcome of an attempt is stored at its end, so that one cut off by a kill is
 * repeated with the same delivery id.
 */
export class Outbox implements Duty {
  readonly #deps: OutboxDependencies;
  readonly #schedule: readonly number[];
  readonly #parallel: number;
  readonly #running = new Map<string, Running>();
  #stopped: AbortController;
  #stopLooking = (): void => {};
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;

  constructor(deps: OutboxDependencies) {
    this.#deps = deps;
    this.#schedule = deps.schedule ?? CALLBACK_SCHEDULE;
    this.#parallel = deps.parallel ?? PARALLEL;
    this.#stopped = new AbortController();
    this.#stopped.abort();
  }

  start(): void {
    const { lookMs } = this.#deps;
    this.#stopped = new AbortController();
    if (lookMs !== undefined) this.#stopLooking = repeat(lookMs, async () => this.wake());
    this.wake();
  }

  /** Looks for callbacks to send. */
  wake(): void {
    if (this.#stopped.signal.aborted) return;
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Cuts off the attempts under way; they are made again after the next start. Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#stopLooking();
    clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all([...this.#running.values()].map(({ attempt }) => attempt));
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    // Without a place it would read all that waits in vain; the end of an attempt looks again.
    while (this.#lookAgain && this.#running.size < this.#parallel && !this.#stopped.signal.aborted) {
      this.#lookAgain = false;
      clearTimeout(this.#timer);
      // The rows of a document whose attempt ends meanwhile may be from before that end, which looks again.
      const busy = new Set(this.#running.keys());
      try {
        const heads = await this.#deps.rows.read((tx) => tx.dueDeliveries());
        this.#start(heads.filter(({ docId }) => !busy.has(docId)));
      } catch (error) {
        this.#deps.log.error({ err: error }, 'callbacks could not be read');
        this.#wakeIn(AGAIN_MS);
      }
    }
  }

  #start(heads: DeliveryRecord[]): void {
    const now = this.#deps.clock();
    const due: DeliveryRecord[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const delivery of heads) {
      const { nextAttemptAt, attempts } = delivery;
      // One that waits for longer than any does is due, too: the clock was set back.
      const longest = (this.#schedule[attempts] ?? 0) + AGAIN_MS;
      if (nextAttemptAt <= now || nextAttemptAt > now + longest) due.push(delivery);
      else next = Math.min(next, nextAttemptAt);
    }
    for (const delivery of this.#sortFairly(due)) {
      if (this.#running.size < this.#parallel && this.#maySend()) this.#run(delivery);
    }
    if (next < Number.POSITIVE_INFINITY) this.#wakeIn(next - now);
  }

  #maySend(): boolean {
    return !this.#stopped.signal.aborted && (this.#deps.leads?.() ?? true);
  }

  /** Puts callbacks to receivers that are asked least first: one that hangs would take every place. */
  #sortFairly(due: readonly DeliveryRecord[]): DeliveryRecord[] {
    const asked = new Map<string, number>();
    const countUp = (receiver: string): number => {
      const before = asked.get(receiver) ?? 0;
      asked.set(receiver, before + 1);
      return before;
    };
    for (const { receiver } of this.#running.values()) countUp(receiver);
    const placed = due.map((delivery) => ({ delivery, place: countUp(getReceiver(delivery)) }));
    return placed.sort((one, other) => one.place - other.place).map(({ delivery }) => delivery);
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopped.signal.aborted) this.#timer = setTimeout(() => this.wake(), Math.min(ms, AGAIN_MS));
  }

  #run(delivery: DeliveryRecord): void {
    const attempt = this.#attempt(delivery).finally(() => {
      this.#running.delete(delivery.docId);
      this.wake();
    });
    this.#running.set(delivery.docId, { receiver: getReceiver(delivery), attempt });
  }

  async #attempt(stored: DeliveryRecord): Promise<void> {
    const { poster, clock } = this.#deps;
    const { signal } = this.#stopped;
    const delivery = sentAt(stored, clock(), this.#deps);
    const status = await poster.post(delivery, signal);
    if (signal.aborted && !isTaken(status)) return;
    const after = this.#record(delivery, status);
    // Again and again, and once more at a stop: otherwise the receiver would get it again.
    for (let [isWritten, isLast] = [false, false]; !isWritten && !isLast; ) {
      isLast = signal.aborted;
      isWritten = await this.#write(after, delivery);
      if (!isWritten) await pause(AGAIN_MS, signal);
    }
  }

  /** @returns false after a failure of the store */
  async #write(after: DeliveryRecord, { id, attempts: before }: DeliveryRecord): Promise<boolean> {
    try {
      const isOurs = await this.#deps.rows.transact(async (tx) => {
        const found = await tx.delivery(id);
        // Another gate leads meanwhile, and has made this attempt anew; or only the answer to this was lost.
        if (found?.state !== 'pending' || found.attempts !== before) return isDeepStrictEqual(found, after);
        await tx.putDelivery(after);
        return true;
      });
      if (isOurs) this.#report(after);
      return true;
    } catch (error) {
      this.#deps.log.error({ err: error, delivery: after.delivery }, 'the outcome of a callback could not be stored');
      return false;
    }
  }

  #record(delivery: DeliveryRecord, lastStatus: number | null): DeliveryRecord {
    const now = this.#deps.clock();
    const attempts = delivery.attempts + 1;
    const wait = this.#schedule[attempts];
    const after = { ...delivery, attempts, lastStatus };
    if (isTaken(lastStatus)) return { ...after, state: 'delivered', endedAt: now };
    if (wait === undefined) return { ...after, state: 'given_up', endedAt: now };
    return { ...after, nextAttemptAt: now + wait };
  }

  #report({ delivery, docId, key, event, version, attempts, lastStatus, state }: DeliveryRecord): void {
    const { log, audit } = this.#deps;
    const facts = { delivery, document: docId, event, version, attempts, status: lastStatus };
    if (state !== 'given_up') {
      log.info({ ...facts, state }, 'callback attempted');
      return;
    }
    // The log takes a member named `key` for a secret.
    log.error({ ...facts, document_key: key }, 'callback given up');
    audit.record('callback.given_up', { ...facts, key });
  }
}

function getReceiver({ url }: DeliveryRecord): string {
  return URL.parse(url)?.origin ?? url;
}
