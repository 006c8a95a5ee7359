import { type DestinationStream, type Level, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
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
      serializers: { err: withoutConstants },
      redact: { paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    options.destination ?? stdout(),
  );
}

/** The members of an error, without the 25 constants that each DOMException, such as a timeout, inherits. */
const withoutConstants = stdSerializers.wrapErrorSerializer((error) => {
  for (const name in error) if (name in DOMException.prototype && name.endsWith('_ERR')) delete error[name];
  return error;
});

/** Lines that wait while stdout takes none, in bytes; more are dropped. */
const MOST_WAITING = 1024 * 1024;

let opened: DestinationStream | undefined;

/**
 * Returns stdout, opened so that a full disk or a reader that has gone neither ends the service nor keeps it from
 * ending: written asynchronously, sonic-boom would try the same line for ever when the process exits.
 */
export function stdout(): DestinationStream {
  opened ??= pino.destination({ fd: 1, sync: true, maxLength: MOST_WAITING }).on('error', () => undefined);
  return opened;
}
