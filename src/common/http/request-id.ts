import type { IncomingMessage, ServerResponse } from 'node:http';
import { withContext } from '../context.ts';
import { requestId } from '../ids.ts';

export const REQUEST_ID_HEADER = 'X-SVC-Request-Id';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const ids = new WeakMap<ServerResponse, string>();

/**
 * Gives the request its id (contract: Identifiers), as a header of the response and in the context of its log lines.
 * Runs before anything else sees the request, so that every response of any kind carries it.
 */
export function withRequestId(handler: Handler): Handler {
  return (request, response) => {
    const id = requestId();
    withContext({ requestId: id }, () => {
      ids.set(response, id);
      response.setHeader(REQUEST_ID_HEADER, id);
      handler(request, response);
    });
  };
}

/** The id that `withRequestId` gave this response's request. */
export function getRequestId(response: ServerResponse): string {
  return ids.get(response) ?? requestId();
}
