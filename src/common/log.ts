import { type DestinationStream, type Level, type Logger, pino, stdTimeFunctions } from 'pino';
import { currentContext } from './context.ts';

export type { Level as LogLevel, Logger } from 'pino';

/** Members that may never reach the log, wherever a careless line might put them. */
const SECRET_MEMBERS = ['authorization', 'token', 'access_token', 'password', 'secret', 'key', 'api_key', 'apiKey'];

/**
 * The service's log: JSON lines on stdout, one object each, with the request's context (contract: Other constants,
 * Logging). URLs are logged as paths without their query, errors as name, message and stack.
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
