import type { IncomingMessage, ServerResponse } from 'node:http';

const asked = new WeakSet<IncomingMessage>();

/** Asks for the body of a request that waits with it (`Expect: 100-continue`, RFC 9110 10.1.1). */
export function writeContinue(request: IncomingMessage, response: ServerResponse): void {
  if (!holdsBodyBack(request)) return;
  asked.add(request);
  response.writeContinue();
}

/** Returns whether the client has not begun to send the body, since nobody asked for it yet. */
export function holdsBodyBack(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue' && !asked.has(request);
}
