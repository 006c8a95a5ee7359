import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER, type Shortcut } from '../../../src/common/http/request-id.ts';
import type { Ask, Decision, Question } from '../domain/ask.ts';

const PATH = '/svc/auth';
const ALLOWED = '{}';

/**
 * `POST /svc/auth`, which only the proxy calls (contract: Gate: operations and internal), ahead of any framework: it is
 * asked at every opening. The answer is 200 or 403, nothing else ever, with a body and headers too small for any proxy to
 * stumble over: what nginx cannot read of a 403 it takes for a failure, and lets in.
 */
export function authShortcut(ask: Ask): Shortcut {
  return (request, response, id) => {
    if (request.method !== 'POST' || request.url !== PATH) return false;
    const uri = header(request, 'x-original-uri');
    const stage = header(request, 'x-svc-stage');
    answer(response, id, decide(ask, { uri, stage, requestId: id }));
    return true;
  };
}

/** An error of our own also admits the request. */
function decide(ask: Ask, question: Question): Decision {
  try {
    return ask(question);
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, id: string, refusal: Decision): void {
  const body = refusal === undefined ? ALLOWED : `{"code":"${refusal}"}`;
  const length = String(body.length);
  // A list Node takes as it stands.
  const headers = [REQUEST_ID_HEADER, id, 'Content-Type', 'application/json', 'Content-Length', length];
  // Of an answer to such a question, nginx reads the headers only.
  if (refusal !== undefined) headers.push('X-SVC-Refusal', refusal);
  response.writeHead(refusal === undefined ? 200 : 403, headers);
  response.end(body);
}

/** A header that came twice has a comma and a space in it, which neither a stage nor a raw URI can have. */
function header({ headers }: IncomingMessage, name: string): string {
  return String(headers[name] ?? '');
}
