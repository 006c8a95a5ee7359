import winston from 'winston';
import { type AuditFacts, createRefusals } from './audit-refusals.ts';
import { AUDIT_TIMINGS, AuditStream, type AuditTimings, appendTo, postTo } from './audit-stream.ts';
import { currentContext } from './context.ts';
import type { Logger } from './log.ts';

/** Events of the audit trail: who did what, with which outcome; no content, no tokens. */
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
  /** Records an event. Of many refusals of one kind, the first are written, and how many more there were. */
  record(event: AuditEvent, facts?: AuditFacts): void;
  /** Resolves when everything recorded has been delivered, or could not be for some seconds. */
  close(): Promise<void>;
}

/**
 * Creates the audit trail: JSON lines marked `"audit": true`, apart from the service's log, which says so when nobody
 * accepts them.
 * @param target `off`, `stdout`, `file:/path`, or an http(s) address that accepts a POST of a list in JSON
 */
export function createAudit(
  service: string,
  target: string,
  log: Pick<Logger, 'info' | 'error'>,
  timings: AuditTimings = AUDIT_TIMINGS,
): Audit {
  if (target === 'off') return { record: () => undefined, close: async () => undefined };
  const stream = target === 'stdout' ? undefined : openStream(target, timings, log);
  const logger = winston.createLogger({
    level: 'info',
    format: winston.format.combine(winston.format.timestamp(), winston.format.json()),
    transports: [
      stream
        ? new winston.transports.Stream({ stream, eol: '' })
        : new winston.transports.Console({ forceConsole: false }),
    ],
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

function isRefusal(event: string): boolean {
  return event.endsWith('.refused');
}

function openStream(target: string, timings: AuditTimings, log: Pick<Logger, 'info' | 'error'>): AuditStream {
  const deliver = target.startsWith('file:') ? appendTo(target.slice('file:'.length)) : postTo(target, timings);
  return new AuditStream(deliver, timings, log);
}
