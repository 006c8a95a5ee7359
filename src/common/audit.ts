import { Writable } from 'node:stream';
import winston from 'winston';
import {
  AUDIT_TIMINGS,
  type AuditQueue,
  type AuditTarget,
  type AuditTimings,
  auditAddress,
  auditFile,
  createAuditQueue,
} from './audit-queue.ts';
import { type AuditFacts, createRefusals } from './audit-refusals.ts';
import { currentContext } from './context.ts';
import type { Logger } from './log.ts';

/** Where winston has an event as it was formatted. */
const LINE = Symbol.for('message');

/** What the audit trail records (who did what, with which outcome; no content, no tokens). */
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

export interface Audit {
  /** Of many refusals of one kind, the first are written, and how many more there were. */
  record(event: AuditEvent, facts?: AuditFacts): void;
  /** Resolves when everything recorded has been handed over, or could not be for some seconds. */
  close(): Promise<void>;
}

/**
 * The audit trail: JSON lines marked `"audit": true`, apart from the service's log, which says so when nobody takes them.
 * @param target `off`, `stdout`, `file:/path`, or an http(s) address that takes a POST of a list in JSON
 */
export function createAudit(
  service: string,
  target: string,
  log: Pick<Logger, 'info' | 'error'>,
  timings: AuditTimings = AUDIT_TIMINGS,
): Audit {
  if (target === 'off') return { record: () => undefined, close: async () => undefined };
  const queue = target === 'stdout' ? undefined : createAuditQueue(targetOf(target, timings), timings, log);
  const logger = winston.createLogger({
    level: 'info',
    format: winston.format.combine(winston.format.timestamp(), winston.format.json()),
    transports: [queue ? into(queue) : new winston.transports.Console({ forceConsole: false })],
  });
  // A trail that can't be written must not take the service down.
  logger.on('error', (error) => log.error({ err: error }, 'the audit trail cannot be written'));
  const write = (event: string, facts: object): void => void logger.info(event, { audit: true, service, ...facts });
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
      await queue?.close();
    },
  };
}

function isRefusal(event: string): boolean {
  return event.endsWith('.refused');
}

function targetOf(target: string, timings: AuditTimings): AuditTarget {
  return target.startsWith('file:') ? auditFile(target.slice('file:'.length)) : auditAddress(target, timings);
}

/**
 * Winston's own transports for files and addresses lose what is not taken, without a word: and a file that once had no
 * room takes nothing more, an address that does not answer a connection for each event.
 */
function into(queue: AuditQueue): winston.transport {
  const stream = new Writable({
    objectMode: true,
    write(event: { message: string; [LINE]: string }, _encoding, done) {
      queue.add(event[LINE], isRefusal(event.message) ? 'refusal' : 'act');
      done();
    },
  });
  return new winston.transports.Stream({ stream });
}
