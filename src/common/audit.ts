import winston from 'winston';
import { currentContext } from './context.ts';

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
  record(event: AuditEvent, facts?: Record<string, string | number | boolean | null>): void;
  /** Resolves when everything recorded has been handed over. */
  close(): Promise<void>;
}

/**
 * The audit trail: JSON lines marked `"audit": true`, apart from the service's log.
 * @param target `off`, `stdout`, `file:/path`, or an http(s) address that takes a POST of JSON
 */
export function createAudit(service: string, target: string): Audit {
  if (target === 'off') return { record: () => undefined, close: async () => undefined };
  const logger = winston.createLogger({
    level: 'info',
    format: winston.format.combine(winston.format.timestamp(), winston.format.json()),
    transports: [transport(target)],
  });
  // A trail that can't be written must not take the service down; the transport's own state shows in the log.
  logger.on('error', () => undefined);
  return {
    record: (event, facts = {}) => {
      logger.info(event, { audit: true, service, ...currentContext(), ...facts });
    },
    close: () =>
      new Promise((resolve) => {
        logger.once('finish', resolve);
        logger.end();
      }),
  };
}

function transport(target: string): winston.transport {
  if (target === 'stdout') return new winston.transports.Console({ forceConsole: false });
  if (target.startsWith('file:')) return new winston.transports.File({ filename: target.slice('file:'.length) });
  const url = new URL(target);
  return new winston.transports.Http({
    host: url.hostname,
    path: `${url.pathname}${url.search}`,
    ssl: url.protocol === 'https:',
    ...(url.port && { port: Number(url.port) }),
  });
}
