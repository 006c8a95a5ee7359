import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from './log.ts';
import { pause } from './pause.ts';

/** Where lines of the audit trail go. */
export interface AuditTarget {
  /** Rejects when it has not taken them, or is to stop. */
  deliver(lines: readonly string[], stop: AbortSignal): Promise<void>;
}

/** Lines on their way to a target, in their order. */
export interface AuditQueue {
  /** @param what it tells of: somebody who was refused, or something that was done */
  add(line: string, what: 'refusal' | 'act'): void;
  /** Resolves when the target has everything, or has not taken it in time. */
  close(): Promise<void>;
}

export interface AuditTimings {
  /** After a failure. */
  againMs: number;
  /** How long an address may take to answer. */
  answerMs: number;
  /** How long the end waits for what is left. */
  closeMs: number;
  /** For so long refusals of one kind are counted. */
  windowMs: number;
}

export const AUDIT_TIMINGS: AuditTimings = { againMs: 1_000, answerMs: 5_000, closeMs: 3_000, windowMs: 60_000 };

/** What may wait, in characters. Refusals are not to take the room of jobs and saves. */
const MOST_WAITING = { act: 8 * 1024 * 1024, refusal: 2 * 1024 * 1024 };
const LINES_AT_ONCE = 1_000;
/** Collectors commonly take a megabyte. */
const CHARACTERS_AT_ONCE = 256 * 1024;

/**
 * Hands each line over until it was taken: while the target takes nothing, lines wait. Those that find no room are lost,
 * and the log says how many.
 */
export function createAuditQueue(
  target: AuditTarget,
  { againMs, closeMs }: AuditTimings,
  log: Pick<Logger, 'info' | 'error'>,
): AuditQueue {
  const waiting: string[] = [];
  const stopped = new AbortController();
  let characters = 0;
  let lost = 0;
  let failing = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0 && !stopped.signal.aborted) {
      const lines = waiting.slice(0, fitting(waiting));
      try {
        await target.deliver(lines, stopped.signal);
        waiting.splice(0, lines.length);
        for (const line of lines) characters -= line.length;
      } catch (error) {
        failed(error);
        await pause(againMs, stopped.signal);
      }
    }
    if (waiting.length === 0) caughtUp();
    // In the same turn as the last check: an event added later starts a new run.
    running = undefined;
  }

  function failed(error: unknown): void {
    // What the end cut off is counted there.
    if (!failing && !stopped.signal.aborted)
      log.error({ err: error }, 'the audit trail cannot be written: its events are queued');
    failing = true;
  }

  function caughtUp(): void {
    if (failing || lost > 0) log.info({ lost }, 'the audit trail can be written again');
    failing = false;
    lost = 0;
  }

  function lose(): void {
    if (lost === 0) log.error('the audit trail cannot be written and its queue is full: events are being lost');
    lost += 1;
  }

  return {
    add(line, what) {
      if (characters + line.length > MOST_WAITING[what]) return lose();
      waiting.push(line);
      characters += line.length;
      running ??= run();
    },
    async close() {
      await Promise.race([running, pause(closeMs, stopped.signal)]);
      stopped.abort();
      lost += waiting.length;
      if (lost > 0) log.error({ lost }, 'the audit trail is incomplete');
    },
  };
}

/** How many lines go at once: one at least. */
function fitting(lines: readonly string[]): number {
  let characters = lines[0]?.length ?? 0;
  let count = 1;
  while (count < Math.min(lines.length, LINES_AT_ONCE)) {
    characters += lines[count]?.length ?? 0;
    if (characters > CHARACTERS_AT_ONCE) break;
    count += 1;
  }
  return count;
}

/** Appends to a file, which is opened each time, so that it may be moved away or its disk be full for a while. */
export function auditFile(path: string): AuditTarget {
  return {
    async deliver(lines) {
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, lines.map((line) => `${line}\n`).join(''));
    },
  };
}

/**
 * Posts to an address, what waits as one list, over one connection. It is the operator's own, as the editor's is: the rules for
 * URLs that others name (contract: Outbound URL rules) do not apply.
 */
export function auditAddress(url: string, { answerMs }: AuditTimings): AuditTarget {
  return {
    async deliver(lines, stop) {
      // Node's own, which costs nothing until it is called: the controller has no other client beside its own.
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `[${lines.join(',')}]`,
        redirect: 'manual',
        signal: AbortSignal.any([stop, AbortSignal.timeout(answerMs)]),
      });
      // The next line can go over the same connection only when this answer was read.
      for await (const _ of answer.body ?? []);
      if (!answer.ok) throw new Error(`the address answered ${answer.status}`);
    },
  };
}
