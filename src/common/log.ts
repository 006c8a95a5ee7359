import { type DestinationStream, type Level, type Logger, pino, stdTimeFunctions } from 'pino';
import { currentContext } from './context.ts';

export type { Level as LogLevel, Logger } from 'pino';

/** Members that are never logged. */
const SECRET_MEMBERS = ['authorization', 'token', 'access_token', 'password', 'secret', 'key', 'api_key', 'apiKey'];

/**
 * Creates the service's log: JSON lines on stdout with the request's context (contract: Other constants, Logging).
 * Callers log paths without queries.
 */
export function createLogger(options: { service: string; level: Level; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => ({ ...currentContext() }),
      redact: { paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    options.destination ?? pino.destination({ fd: 1, sync: false }),
  );
}
