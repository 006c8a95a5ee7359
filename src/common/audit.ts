import { Writable } from 'node:stream';
import winston from 'winston';
import { AUDIT_TIMINGS, AuditStream, type AuditTimings, appendTo, postTo } from './audit-stream.ts';
import { currentContext } from './context.ts';
import { type Logger, stdout } from './log.ts';

/** Events of the audit trail; without content and tokens. */
export type AuditEvent =
  | 'auth.refused'
  | 'feature.refused'
  | 'rate.refused'
  | 'job.accepted'
  | 'job.finished'
  | 'file.downloaded'
  | 'document.saved'
  | 'document.closed'
  | 'callback.given_up'
  | 'session.created'
  | 'session.refused'
  | 'session.mode'
  | 'session.closed'
  | 'document.opened'
  | 'connection.refused'
  | 'license.changed'
  | 'service.started'
  | 'service.stopped';

/** Facts of an event. */
export type AuditFacts = Readonly<Record<string, string | number | boolean | null>>;

export interface Audit {
  /** Records an event. Only the first refusals of one kind are written, then a number. */
  record(event: AuditEvent, facts?: AuditFacts): void;
  /** Resolves when everything is delivered, or some seconds have passed. */
  close(): Promise<void>;
}

/** Refusals of one kind that are written in one window. */
const MOST_WRITTEN = 10;
/** Most kinds; further callers are counted together. */
const MOST_KINDS = 1_000;
/** Facts that define a kind, beside event and caller. The refused client chooses others, such as a path. */
const OF_A_KIND = ['code', 'reason', 'feature'];

/**
 * Creates the audit trail: JSON lines marked `"audit": true`. The service's log says when they are not accepted.
 * @param target `off`, `stdout`, `file:/path`, or an http(s) address that accepts a POST of a JSON list
 */
export function createAudit(
  service: string,
  target: string,
  log: Pick<Logger, 'info' | 'error'>,
  timings: AuditTimings = AUDIT_TIMINGS,
): Audit {
  if (target === 'off') return { record: () => undefined, close: async () => undefined };
  const deliver = target.startsWith('file:') ? appendTo(target.slice('file:'.length)) : postTo(target, timings);
  const stream = target === 'stdout' ? undefined : new AuditStream(deliver, timings, log);
  const logger = winston.createLogger({
    level: 'info',
    format: winston.format.combine(winston.format.timestamp(), winston.format.json()),
    transports: [new winston.transports.Stream({ stream: stream ?? toStdout(), eol: '' })],
  });
  // A trail that cannot be written must not end the service.
  logger.on('error', (error) => log.error({ err: error }, 'the audit trail cannot be written'));
  const write = (event: string, facts: object): void => {
    if (stream && !stream.admit(isRefusal(event) ? 'refusal' : 'act')) return;
    logger.info(event, { audit: true, service, ...facts });
  };
  const refusals = createRefusals(write, timings.windowMs);
  return {
    record: (event, facts = {}) => {
      const context = currentContext();
      if (isRefusal(event) && !refusals.admits(event, facts, context.caller)) return;
      write(event, { ...context, ...facts });
    },
    async close() {
      refusals.close();
      await new Promise((resolve) => {
        logger.once('finish', resolve);
        logger.end();
      });
      await stream?.close();
    },
  };
}

/** Between the lines of the log: winston's own transport throws when stdout takes none. */
function toStdout(): Writable {
  return new Writable({
    decodeStrings: false,
    write(line, _encoding, done) {
      stdout().write(`${line}\n`);
      done();
    },
  });
}

function isRefusal(event: string): boolean {
  return event.endsWith('.refused');
}

interface Kind {
  event: string;
  facts: AuditFacts;
  count: number;
}

/**
 * Lets the first refusals of each kind through, and counts the others: a client can cause any number of them.
 * @param write is called at the end of a window with the number `more` of each kind
 */
function createRefusals(write: (event: string, facts: AuditFacts) => void, windowMs: number) {
  const kinds = new Map<string, Kind>();
  let window: { since: string; timer: NodeJS.Timeout } | undefined;

  function findKind(event: string, facts: AuditFacts, caller: string | undefined): Kind {
    const common = Object.fromEntries(
      OF_A_KIND.flatMap((name) => (name in facts ? [[name, facts[name] ?? null]] : [])),
    );
    const known = kinds.get(JSON.stringify([event, common, caller]));
    if (known) return known;
    const own = caller !== undefined && kinds.size < MOST_KINDS;
    const key = JSON.stringify([event, common, own ? caller : undefined]);
    const kind = kinds.get(key) ?? { event, facts: { ...common, ...(own && { caller }) }, count: 0 };
    kinds.set(key, kind);
    return kind;
  }

  function end(): void {
    for (const { event, facts, count } of kinds.values()) {
      if (count > MOST_WRITTEN && window) write(event, { ...facts, more: count - MOST_WRITTEN, since: window.since });
    }
    kinds.clear();
    clearTimeout(window?.timer);
    window = undefined;
  }

  return {
    /** Returns whether to write this refusal. */
    admits(event: string, facts: AuditFacts, caller: string | undefined): boolean {
      window ??= { since: new Date().toISOString(), timer: setTimeout(end, windowMs).unref() };
      const kind = findKind(event, facts, caller);
      kind.count += 1;
      return kind.count <= MOST_WRITTEN;
    },
    /** Writes the remaining numbers. */
    close: end,
  };
}
