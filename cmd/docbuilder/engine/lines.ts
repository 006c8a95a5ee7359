import type { Readable } from 'node:stream';
import { isObject } from '../../../src/common/is-object.ts';

const MAX_LINE_BYTES = 64 * 1024;

/** Calls `receive` with each JSON line of `stream`, and `broken` once when a line is too long or no JSON object. */
export function readLines(stream: Readable, receive: (message: Message) => void, broken: () => void): void {
  let rest = '';
  let failed = false;
  const fail = () => {
    failed = true;
    broken();
  };
  stream.setEncoding('utf8');
  stream.on('error', () => undefined);
  stream.on('data', (chunk: string) => {
    if (failed) return;
    rest += chunk;
    for (let end = rest.indexOf('\n'); end >= 0 && !failed; end = rest.indexOf('\n')) {
      const message = parse(rest.slice(0, end));
      rest = rest.slice(end + 1);
      if (message) receive(message);
      else fail();
    }
    if (rest.length > MAX_LINE_BYTES) fail();
  });
}

/** A line from a worker; believed only as far as its types were checked. */
export type Message = Record<string, unknown>;

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
