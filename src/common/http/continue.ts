import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits of what is discarded after an answer. */
const LINGER_MS = 1000;
const LINGER_BYTES = 32 * 1024 * 1024;

const asked = new WeakSet<IncomingMessage>();

/** Asks for the body of a request with `Expect: 100-continue` (RFC 9110 10.1.1). */
export function writeContinue(request: IncomingMessage, response: ServerResponse): void {
  if (!holdsBodyBack(request)) return;
  asked.add(request);
  response.writeContinue();
}

/** Returns whether the client waits with the body for a `100 Continue`. */
export function holdsBodyBack(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue' && !asked.has(request);
}

/**
 * Answers a request without reading its body to the end. Closing at once would reset the connection, and many clients
 * would lose the answer; so what arrives is discarded for a moment.
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
