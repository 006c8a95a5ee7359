import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision, Question } from '../domain/ask.ts';

export interface AuthHandlers {
  ask: (question: Question) => Promise<Decision>;
}

const ALLOWED = '{}';

/**
 * `POST /svc/auth`, which only the proxy calls (contract: Gate: operations and internal). The answer is 200 or 403,
 * nothing else ever, with a body and headers too small for any proxy to stumble over: what nginx cannot read of a 403
 * it takes for a failure, and lets in. A plain handler, so that it can stand before any framework.
 */
export function postAuth({ ask }: AuthHandlers): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    request.resume();
    const question = { uri: header(request, 'x-original-uri'), stage: header(request, 'x-svc-stage') };
    ask(question).then(
      (refusal) => answer(response, refusal),
      () => answer(response, undefined),
    );
  };
}

function answer(response: ServerResponse, refusal: Decision): void {
  const body = refusal === undefined ? ALLOWED : `{"code":"${refusal}"}`;
  response.writeHead(refusal === undefined ? 200 : 403, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
  });
  response.end(body);
}

/** A header that came twice has a comma and a space in it, which neither a stage nor a raw URI can have. */
function header({ headers }: IncomingMessage, name: string): string {
  return String(headers[name] ?? '');
}
