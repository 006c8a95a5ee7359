import winston from 'winston';
import { currentContext } from './context.ts';
import type { Logger } from './log.ts';
import { startDeadline, unlessAborted } from './net/deadline.ts';

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
  /** Resolves when everything recorded has been handed over, or cannot be within some seconds. */
  close(): Promise<void>;
}

/** A trail that cannot be written ends no sooner by itself. */
const CLOSE_MS = 3_000;
/** Between two lines that say so: each event of a busy service may fail. */
const TELL_MS = 60_000;

/**
 * The audit trail: JSON lines marked `"audit": true`, apart from the service's log.
 * @param target `off`, `stdout`, `file:/path`, or an http(s) address that takes a POST of JSON
 * @param log told when the trail cannot be written, which must not take the service down
 */
export function createAudit(service: string, target: string, log?: Pick<Logger, 'error'>): Audit {
  if (target === 'off') return { record: () => undefined, close: async () => undefined };
  const carrier = transport(target);
  const logger = winston.createLogger({
    level: 'info',
    format: winston.format.combine(winston.format.timestamp(), winston.format.json()),
    transports: [carrier],
  });
  /** Events on their way: a transport to an address is done with one when it has only begun to send it. */
  let open = 0;
  let idle: (() => void) | undefined;
  const ended = (): void => {
    open -= 1;
    if (open === 0) idle?.();
  };
  carrier.on('logged', ended).on('warn', ended);

  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (error: unknown): void => {
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    log?.error({ err: error }, 'the audit trail cannot be written');
  };
  logger.on('error', tell).on('warn', tell);

  async function end(): Promise<void> {
    if (open > 0) await new Promise<void>((resolve) => (idle = resolve));
    const finished = new Promise((resolve) => logger.once('finish', resolve));
    logger.end();
    await finished;
  }

  return {
    record: (event, facts = {}) => {
      open += 1;
      logger.info(event, { audit: true, service, ...currentContext(), ...facts });
    },
    close: async () => {
      const late = startDeadline(CLOSE_MS, () => new Error('it took too long'));
      await unlessAborted(end(), late.signal).catch(tell);
      late.end();
    },
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
