import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ListenAddress } from '../config.ts';
import { withContext } from '../context.ts';
import { errorBody } from '../errors.ts';
import { errorJson, REQUEST_ID_HEADER, requestId } from './errors.ts';

/**
 * Creates an HTTP server with limits against slow and oversized requests. Requests with `Expect: 100-continue` reach
 * the application before their body is asked for.
 */
export function createHttpServer(app: RequestListener): Server {
  const answers = new WeakMap<Socket, ServerResponse>();
  const handler: RequestListener = (request, response) => {
    answers.set(request.socket, response);
    const id = requestId();
    // Before anything else sees the request, so that every response of any kind carries it (contract: Identifiers).
    response.setHeader(REQUEST_ID_HEADER, id);
    withContext({ requestId: id }, () => app(request, response));
  };
  const server = createServer(
    {
      headersTimeout: 10_000,
      // A whole request may be a 300 MB upload over a slow line; a stalled one is ended much earlier by the upload itself.
      requestTimeout: 600_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16 * 1024,
      // Node would answer such a request by itself, without a request id; `refuseOddTargets` does it.
      requireHostHeader: false,
      noDelay: true,
    },
    handler,
  );
  server.maxHeadersCount = 100;
  server.on('checkContinue', handler);
  server.on('checkExpectation', handler);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = answers.get(socket);
    // A second answer would stand in the middle of the first, or behind it where no request is.
    if (answer?.headersSent && !answer.writableEnded) socket.destroySoon();
    else answerUnparsable(error, socket);
  });
  return server;
}

const IDLE_CHECK_MS = 50;

/** Starts a server of `createHttpServer`. */
export async function listen(app: RequestListener, { host, port }: ListenAddress): Promise<Server> {
  const server = createHttpServer(app);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/** Stops a server, and lets requests end for up to `ms` milliseconds. @param enough cuts them off when it resolves */
export async function drain(server: Server, ms: number, enough?: Promise<void>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // Again and again: a connection that carried a request would stay open for a next one.
  const closing = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const late = new Promise((resolve) => setTimeout(resolve, ms).unref());
  await Promise.race([closed, late, ...(enough ? [enough] : [])]);
  clearInterval(closing);
  server.closeAllConnections();
}

/** Answers a request that Node cannot parse. */
function answerUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, reason, message] = describeUnparsable(error.code);
  const id = requestId();
  const body = errorJson(errorBody('bad_request', { errors: [{ path: '', message }] }), id);
  socket.end(
    [
      `HTTP/1.1 ${status} ${reason}`,
      `${REQUEST_ID_HEADER}: ${id}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function describeUnparsable(code: string | undefined): [number, string, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'Request Header Fields Too Large', 'phần đầu của yêu cầu quá lớn'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout', 'yêu cầu không được gửi đến kịp thời'];
  return [400, 'Bad Request', 'yêu cầu không phải HTTP hợp lệ'];
}
