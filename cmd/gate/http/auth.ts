import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Ask } from '../domain/ask.ts';

/**
 * `POST /svc/auth` for the proxy (contract: Gate: operations and internal). It answers 200 or 403 only, with a tiny
 * body and tiny headers: nginx takes a 403 that it cannot read for a failure, and lets the request in.
 */
export function postAuth(ask: Ask): RequestHandler {
  return async (request, response) => {
    const uri = getHeader(request, 'x-original-uri');
    const refusal = await ask({ uri, stage: getHeader(request, 'x-svc-stage') });
    const body = refusal === undefined ? '{}' : `{"code":"${refusal}"}`;
    // nginx reads only the headers of such an answer.
    if (refusal !== undefined) response.setHeader('X-SVC-Refusal', refusal);
    response.writeHead(refusal === undefined ? 200 : 403, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    });
    response.end(body);
  };
}

/** Returns a header's value. One that came twice has a comma and a space in it, which no stage and no raw URI has. */
function getHeader({ headers }: IncomingMessage, name: string): string {
  return String(headers[name] ?? '');
}
