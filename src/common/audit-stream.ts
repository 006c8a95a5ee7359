import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import type { Logger } from './log.ts';
import { pause } from './pause.ts';

/** Sends lines of the audit trail. Rejects when the target has not accepted them, or on `stop`. */
export type Deliver = (lines: readonly string[], stop: AbortSignal) => Promise<unknown>;

export interface AuditTimings {
  /** Milliseconds between attempts. */
  retryMs: number;
  /** Milliseconds that an address has to answer. */
  answerMs: number;
  /** Milliseconds that `close` waits for delivery. */
  closeMs: number;
  /** Milliseconds in which refusals of one kind are counted. */
  windowMs: number;
}

export const AUDIT_TIMINGS: AuditTimings = { retryMs: 1_000, answerMs: 5_000, closeMs: 3_000, windowMs: 60_000 };

/** Characters that may wait. Refusals leave room for jobs and saves. */
const MAX_WAITING = { act: 8 * 1024 * 1024, refusal: 2 * 1024 * 1024 };
const MAX_LINES = 1_000;
/** Collectors commonly accept a megabyte. */
const MAX_CHARACTERS = 256 * 1024;

/**
 * Delivers each line until it is accepted. Meanwhile lines wait in the stream's buffer; the log says how many find no
 * room. Winston's own transports lose them silently (docs/decisions/0002).
 */
export class AuditStream extends Writable {
  readonly #deliver: Deliver;
  readonly #timings: AuditTimings;
  readonly #log: Pick<Logger, 'info' | 'error'>;
  readonly #stopped = new AbortController();
  #pending = 0;
  #lost = 0;
  #isFailing = false;

  constructor(deliver: Deliver, timings: AuditTimings, log: Pick<Logger, 'info' | 'error'>) {
    super({ decodeStrings: false });
    this.#deliver = deliver;
    this.#timings = timings;
    this.#log = log;
  }

  /** Returns whether there is room for an event, which the caller then writes; otherwise counts it as lost. */
  admit(kind: 'refusal' | 'act'): boolean {
    const hasRoom = this.writableLength < MAX_WAITING[kind];
    if (hasRoom) this.#pending += 1;
    else if (this.#lost++ === 0)
      this.#log.error('the audit trail cannot be written and its queue is full: events are being lost');
    return hasRoom;
  }

  /** Resolves when the target has accepted everything, or time is up. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.end(resolve));
    await Promise.race([ended, pause(this.#timings.closeMs, this.#stopped.signal)]);
    this.#stopped.abort();
    this.#lost += this.#pending;
    if (this.#lost > 0) this.#log.error({ lost: this.#lost }, 'the audit trail is incomplete');
  }

  override _writev(chunks: { chunk: string }[], done: () => void): void {
    void this.#deliverAll(chunks.map(({ chunk }) => chunk)).then(done);
  }

  async #deliverAll(lines: string[]): Promise<void> {
    while (lines.length > 0 && !this.#stopped.signal.aborted) {
      const count = countFitting(lines);
      try {
        await this.#deliver(lines.slice(0, count), this.#stopped.signal);
        lines.splice(0, count);
        this.#pending -= count;
      } catch (error) {
        // `close` counts what it cuts off.
        if (!this.#isFailing && !this.#stopped.signal.aborted)
          this.#log.error({ err: error }, 'the audit trail cannot be written: its events are queued');
        this.#isFailing = true;
        await pause(this.#timings.retryMs, this.#stopped.signal);
      }
    }
    if (this.#pending > 0) return;
    if (this.#isFailing || this.#lost > 0) this.#log.info({ lost: this.#lost }, 'the audit trail can be written again');
    this.#isFailing = false;
    this.#lost = 0;
  }
}

/** Returns the number of lines for one delivery, at least one. */
function countFitting(lines: readonly string[]): number {
  let characters = 0;
  const tooMany = lines.findIndex((line, index) => {
    characters += line.length;
    return index > 0 && (index === MAX_LINES || characters > MAX_CHARACTERS);
  });
  return tooMany < 0 ? lines.length : tooMany;
}

/** Appends to a file, opened each time: it may be moved away, or its disk be full for a while. */
export function appendTo(path: string): Deliver {
  return async (lines) => {
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, lines.map((line) => `${line}\n`).join(''));
  };
}

/** Posts lines as one list. The address is the operator's own, so the outbound URL rules do not apply. */
export function postTo(url: string, { answerMs }: AuditTimings): Deliver {
  return async (lines, stop) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `[${lines.join(',')}]`,
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(answerMs)]),
    });
    // The connection is used again only when the answer was read.
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the address answered ${response.status}`);
  };
}
