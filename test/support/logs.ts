import { pino } from 'pino';
import { createLogger, type Logger } from '../../src/common/log.ts';

const lines: string[] = [];
const secrets = new Set<string>();

/** The real service's logger, kept in memory so that the whole run's lines can be searched at its end. */
export function testLogger(): Logger {
  return createLogger({
    service: 'docbuilder',
    level: 'trace',
    destination: { write: (line: string) => void lines.push(line) },
  });
}

/** A logger that says nothing. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

/** Keeps lines that another process wrote. */
export function keepLines(text: string): void {
  lines.push(...text.split('\n').filter((line) => line !== ''));
}

/** Something that may never stand in a log: a key, a token, a password, text of a document. Returned as it was. */
export function secret<T extends string>(value: T): T {
  if (value.length < 8) throw new TypeError('too short to be looked for');
  secrets.add(value);
  return value;
}

export function loggedLines(): readonly string[] {
  return lines;
}

/** Every logged line that holds a secret. */
export function leaks(): string[] {
  return lines.filter((line) => [...secrets].some((value) => line.includes(value)));
}
