import type { IncomingMessage, ServerResponse } from 'node:http';
import { holdsBodyBack } from './continue.ts';

const LINGER_MS = 1000;
const LINGER_BYTES = 32 * 1024 * 1024;

/**
 * Answers a request whose body is still on its way, without reading it to its end. Closing at once would reset the
 * connection, and many clients would then lose the answer; so for a moment what still arrives is thrown away, then
 * the connection is closed, wherever the client is.
 */
export function refuseUpload(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.setHeader('Connection', 'close');
  if (holdsBodyBack(request)) {
    response.end(body);
    return;
  }
  response.write(body);
  let discarded = 0;
  const close = (): void => {
    clearTimeout(timer);
    request.off('data', discard);
    response.end(() => request.socket.destroy());
  };
  const discard = (chunk: Buffer): void => {
    discarded += chunk.length;
    if (discarded > LINGER_BYTES) close();
  };
  const timer = setTimeout(close, LINGER_MS);
  request.unpipe();
  request.on('data', discard);
  request.once('end', close);
  request.once('close', close);
  request.resume();
}
